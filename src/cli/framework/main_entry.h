// The real program: standard streams, environment, the real world and the hub's client,
// wired together. Everything else in this module can be tested without a machine.
#pragma once

namespace teamster::cli {

int main_entry(int argc, char** argv);

}  // namespace teamster::cli
