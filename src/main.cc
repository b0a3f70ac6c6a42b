#include "cli/framework/main_entry.h"

int main(int argc, char** argv) { return teamster::cli::main_entry(argc, argv); }
