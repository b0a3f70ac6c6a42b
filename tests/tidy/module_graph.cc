#include "tidy/module_graph.h"

#include <regex>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "tidy/source_tree.h"

namespace teamster::tidy {
namespace {

constexpr std::string_view kArrow = "→";

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void add_line(DrawnGraph& graph, std::string_view line) {
  const std::size_t arrow = line.find(kArrow);
  if (arrow == std::string_view::npos) {
    ADD_FAILURE() << "no arrow in the graph's line: " << line;
    return;
  }
  const auto names = words_of(line.substr(0, arrow));
  if (names.size() != 1) {
    ADD_FAILURE() << "one module stands left of the arrow: " << line;
    return;
  }
  auto& uses = graph.uses[names[0]];
  auto& may_use = graph.may_use[names[0]];
  for (std::string word : words_of(line.substr(arrow + kArrow.size()))) {
    const bool optional = word.front() == '(' && word.back() == ')';
    if (optional) word = word.substr(1, word.size() - 2);
    (optional ? may_use : uses).insert(word);
  }
}

// CMake's target names have no slash: env_real is the module env/real.
std::string module_of_target(const std::string& target) {
  std::string module = target;
  if (const auto at = module.find('_'); at != std::string::npos) module[at] = '/';
  return module;
}

}  // namespace

DrawnGraph drawn_graph(std::string_view document) {
  DrawnGraph graph;
  bool inside = false;
  for (const auto& line : lines_of(document)) {
    if (line == "```text modules") {
      inside = true;
    } else if (inside && line.starts_with("```")) {
      return graph;
    } else if (inside && !words_of(line).empty()) {
      add_line(graph, line);
    }
  }
  ADD_FAILURE() << "the document has no block that begins with ```text modules";
  return graph;
}

Graph linked_graph(std::string_view cmake_lists) {
  static const std::regex kModule(R"(^teamster_module\(([a-z/]+)(?: USES ([a-z_ ]+))?\))");
  Graph graph;
  for (const auto& line : lines_of(cmake_lists)) {
    std::smatch match;
    if (!std::regex_search(line, match, kModule)) continue;
    auto& uses = graph[match[1]];
    for (const auto& target : words_of(match[2].str())) uses.insert(module_of_target(target));
  }
  return graph;
}

Graph included_graph(bool with_tests) {
  Graph graph;
  for (const auto& file : cpp_files("src")) {
    const std::string module = module_of(std::string_view(file.path).substr(4));
    if (module.empty() || (file.is_test() && !with_tests)) continue;
    auto& uses = graph[module];
    for (const auto& include : includes_of(file)) {
      const std::string used = include.is_system ? "" : module_of(include.target);
      if (!used.empty() && used != module) uses.insert(used);
    }
  }
  return graph;
}

Graph closure(const Graph& graph) {
  Graph out = graph;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [module, reached] : out) {
      const Modules before = reached;
      for (const auto& next : before) {
        if (const auto it = out.find(next); it != out.end()) reached.insert(it->second.begin(), it->second.end());
      }
      changed = changed || reached != before;
    }
  }
  return out;
}

}  // namespace teamster::tidy
