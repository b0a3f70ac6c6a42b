// Completion: what may stand at a place of the command line, from the same declarations as everything else. Names that
// only the hub knows come from whoever asks. Pure; what the scripts of completion_scripts.h show is decided here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/framework/command.h"
#include "cli/framework/registry.h"

namespace teamster::cli {

struct Offer {
  std::string word;
  std::string help = {};
};

struct Completion {
  std::vector<Offer> offers = {};
  bool takes_file = false;  // of any name, in place of the offers
};

// Names of this type; `team` is the one that the command line names, or empty.
using KnownNames = std::function<std::vector<Offer>(ValueType type, const std::string& team)>;

// The words after the program's name; the last is being typed and may be empty. Where a shell takes `--flag=value` for
// three words it is one here.
Completion complete_words(const Registry& registry, std::vector<std::string> words, const KnownNames& names);

}  // namespace teamster::cli
