#include "workflow/format/graph.h"

#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "workflow/format/flow.h"
#include "workflow/format/spec_words.h"

namespace teamster::workflow {
namespace {

// By the order of Phase::Kind.
struct Look {
  std::string_view mermaid_open;
  std::string_view mermaid_close;
  std::string_view dot_shape;
};
constexpr std::array<Look, 8> kLooks{{{"[\"", "\"]", "box"},
                                      {"[/\"", "\"\\]", "trapezium"},
                                      {"[/\"", "\"/]", "parallelogram"},
                                      {"{\"", "\"}", "diamond"},
                                      {"{{\"", "\"}}", "hexagon"},
                                      {">\"", "\"]", "note"},
                                      {"[[\"", "\"]]", "component"},
                                      {"(\"", "\")", "folder"}}};

const Look& look_of(const Phase& phase) { return kLooks.at(static_cast<std::size_t>(phase.kind)); }

struct Edge {
  std::string from;
  std::string to;
  std::string label;
  bool is_dotted = false;
};

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return dump_json(value);
  std::vector<std::string> parts;
  for (const auto& one : value) parts.push_back(value_text(one));
  return join(parts, " or ");
}

std::string condition_text(const Condition& condition);

// "every items: passed = true", "at least 2 of issues: open = true", "tier changed since plan"
std::string test_text(const std::string& field, const Json& test) {
  if (test.contains("changed_since"))
    return fmt::format("{} changed since {}", field, value_text(test["changed_since"]));
  for (const char* name : {"every", "any", "none", "count"}) {
    if (!test.contains(name)) continue;
    std::vector<std::string> bounds;
    if (test.contains("at_least")) bounds.push_back(fmt::format("at least {}", value_text(test["at_least"])));
    if (test.contains("at_most")) bounds.push_back(fmt::format("at most {}", value_text(test["at_most"])));
    const std::string how = bounds.empty() ? name : join(bounds, " and ");
    const Json& wanted = test[name];
    const std::string what = wanted.is_object() ? condition_text(wanted.get<Condition>()) : value_text(wanted);
    return fmt::format("{} of {}{}{}", how, field, what.empty() ? "" : ": ", what);
  }
  return field;
}

std::string condition_text(const Condition& condition) {
  std::vector<std::string> parts;
  for (const auto& [field, value] : condition)
    parts.push_back(value.is_object() ? test_text(field, value) : fmt::format("{} = {}", field, value_text(value)));
  return join(parts, ", ");
}

// The lines that a phase's box shows.
std::vector<std::string> lines_of(const Phase& phase) {
  std::vector<std::string> lines{fmt::format("{} {}", stage_of(phase), phase.title)};
  std::string who = phase.role.empty() ? join(phase.roles, ", ") : phase.role;
  if (who.empty() && !phase.workflow.empty()) who = phase.workflow + (phase.entry.empty() ? "" : " ") + phase.entry;
  lines.push_back(phase.kind == Phase::Kind::agent
                      ? who
                      : fmt::format("{}{}{}", word_of(phase.kind), who.empty() ? "" : ": ", who));
  if (!phase.merge.empty()) lines.push_back("merged by " + phase.merge);
  if (!phase.only.empty()) lines.push_back("only if " + condition_text(phase.only));
  return lines;
}

class Drawing {
 public:
  explicit Drawing(const Workflow& workflow) : workflow_(workflow) {
    add_entries();
    for (std::size_t i = 0; i < workflow.phases.size(); ++i) add_phase(i);
    for (const auto& way : workflow.always) add_way("any", way);
  }

  const std::vector<Edge>& edges() const { return edges_; }
  std::string node(std::size_t index) const {
    return index < workflow_.phases.size() ? fmt::format("p{}", index + 1) : "done";
  }
  // Ends and beginnings that edges touch, beside the phases.
  std::set<std::string> terminals() const {
    std::set<std::string> names;
    for (const auto& edge : edges_)
      for (const auto& name : {edge.from, edge.to})
        if (!(name.size() > 1 && name[0] == 'p' && name[1] >= '0' && name[1] <= '9')) names.insert(name);
    return names;
  }

 private:
  // An entry that ends before the list does leaves it at its last phase.
  void add_entries() {
    const Flow flow(workflow_);
    for (const auto& route : flow.routes()) {
      edges_.push_back({"start", node(route.first), route.entry, false});
      if (route.last + 1 < workflow_.phases.size())
        edges_.push_back({node(route.last), "done", fmt::format("{} ends", route.entry), true});
    }
  }

  void add_phase(std::size_t index) {
    const Phase& phase = workflow_.phases[index];
    bool is_open = true;
    for (const auto& way : phase.on) {
      add_way(node(index), way);
      is_open = is_open && !way.when.empty();
    }
    if (is_open) edges_.push_back({node(index), node(index + 1), phase.on.empty() ? "" : "else", false});
    if (!phase.only.empty()) edges_.push_back({node(index), node(index + 1), "skipped", true});
  }

  void add_way(const std::string& from, const Way& way) {
    std::string label = condition_text(way.when);
    if (const auto loop = workflow_.loops.find(way.loop); loop != workflow_.loops.end())
      label += fmt::format("{}{}: at most {}, then {}", label.empty() ? "" : "; ", way.loop, loop->second.max,
                           then_text(loop->second));
    edges_.push_back({from, target(way), label, false});
  }

  std::string target(const Way& way) const {
    if (way.end == Way::End::block) return "blocked";
    if (way.end == Way::End::fail) return "failed";
    for (std::size_t i = 0; i < workflow_.phases.size(); ++i)
      if (workflow_.phases[i].id == way.target) return node(i);
    return "done";
  }

  const Workflow& workflow_;
  std::vector<Edge> edges_;
};

std::string terminal_text(const std::string& name) { return name == "any" ? "any phase" : name; }

std::string mermaid_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "#quot;";
        break;
      case '#':
        out += "#35;";
        break;
      case '<':
        out += "#lt;";
        break;
      case '>':
        out += "#gt;";
        break;
      case '\n':
        out += ' ';
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string dot_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string mermaid_graph(const Workflow& workflow) {
  const Drawing drawing(workflow);
  std::string out = "flowchart TD\n";
  for (const auto& name : drawing.terminals()) out += fmt::format("  {}([\"{}\"])\n", name, terminal_text(name));
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) {
    std::vector<std::string> lines;
    for (const auto& line : lines_of(workflow.phases[i])) lines.push_back(mermaid_escaped(line));
    const Look& look = look_of(workflow.phases[i]);
    out += fmt::format("  {}{}{}{}\n", drawing.node(i), look.mermaid_open, join(lines, "<br/>"), look.mermaid_close);
  }
  for (const auto& edge : drawing.edges()) {
    const std::string label = edge.label.empty() ? "" : fmt::format("|\"{}\"|", mermaid_escaped(edge.label));
    out += fmt::format("  {} {}{} {}\n", edge.from, edge.is_dotted ? "-.->" : "-->", label, edge.to);
  }
  return out;
}

std::string dot_graph(const Workflow& workflow) {
  const Drawing drawing(workflow);
  std::string out = fmt::format("digraph \"{}\" {{\n  node [fontname=\"sans-serif\"];\n", dot_escaped(workflow.name));
  for (const auto& name : drawing.terminals())
    out += fmt::format("  {} [shape=oval, label=\"{}\"];\n", name, terminal_text(name));
  for (std::size_t i = 0; i < workflow.phases.size(); ++i) {
    std::vector<std::string> lines;
    for (const auto& line : lines_of(workflow.phases[i])) lines.push_back(dot_escaped(line));
    out += fmt::format("  {} [shape={}, label=\"{}\"];\n", drawing.node(i), look_of(workflow.phases[i]).dot_shape,
                       join(lines, "\\n"));
  }
  for (const auto& edge : drawing.edges())
    out += fmt::format("  {} -> {} [label=\"{}\"{}];\n", edge.from, edge.to, dot_escaped(edge.label),
                       edge.is_dotted ? ", style=dotted" : "");
  return out + "}\n";
}

}  // namespace teamster::workflow
