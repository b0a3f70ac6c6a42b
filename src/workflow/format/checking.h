// Checking: what the checks of a workflow share while they run: the model, where each part of it
// stands, the shapes of the answers, and where problems go. Used inside check_spec alone.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/format/bundle.h"
#include "workflow/format/flow.h"
#include "workflow/format/shape.h"
#include "workflow/format/spec.h"
#include "workflow/format/template.h"
#include "yaml/document.h"
#include "yaml/problem.h"

namespace teamster::workflow {

// A part of workflow.yaml, found from its root step by step. What is not there is as good as the
// last part that is: every problem has a place.
class Spot {
 public:
  explicit Spot(const Node& root) : node_(&root), place_(root.place) {}
  Spot at(std::string_view key) const;
  Spot at(std::size_t index) const;
  bool is_list() const { return node_ != nullptr && node_->kind == Node::Kind::list; }
  // Of a value, or of the key of a map or list.
  Place place() const { return place_; }

 private:
  const Node* node_;  // null behind what is not there
  Place place_;
};

// Which sources may stand in a text, beside `args`, `values` and `run`.
struct Allowed {
  bool loops = false;
  bool answers = false;
  bool item = false;
  // Of a command: an argument may come from an agent of another run, and a file may be written by one, so only such
  // args and values that cannot hold syntax of a shell. Others go into its environment, where it has one to declare.
  enum class Shell { none, with_inputs, bare } shell = Shell::none;
  const Shape* this_answer = nullptr;    // what `answer/…` is
  std::set<std::string> words = {};      // {{missing}}, {{sequence}}
  std::size_t values_before = SIZE_MAX;  // only so many of the values have been found by then
};

struct AnswerShape {
  Shape whole;
  Shape one;                        // of one member, where the whole is a list of them or merged from them
  std::optional<Shape> items = {};  // what a condition can ask of the items of the phase
};

struct Checking {
  const Workflow& workflow;
  const Document& document;
  const Bundle& bundle;
  Problems& problems;
  const Flow& flow;
  const std::vector<AnswerShape>& answers;  // of each phase

  Spot root() const { return Spot(document.root); }
  Spot phase(std::size_t index) const { return root().at("phases").at(index); }
  void problem(const Spot& spot, std::string what) const { problems.add(document.file, spot.place(), std::move(what)); }
};

std::vector<std::string> phase_ids(const Workflow& workflow);

// " did you mean X?" or nothing, to be put behind a message.
std::string suggestion(std::string_view typed, const std::vector<std::string>& known);

// Whether the source leads to something that may stand here. Returns the shape of what it gives.
std::optional<Shape> check_source(const Checking& checking, const Spot& spot, const Source& source,
                                  const Allowed& allowed);
// The placeholders of a short text of workflow.yaml.
void check_text(const Checking& checking, const Spot& spot, const std::string& text, const Allowed& allowed);
// A path that does not lead out of the project, as far as it is known before the run.
void check_inside(const Checking& checking, const Spot& spot, const std::string& path);
// Fields of an answer and what they are compared with. `phase`: whose answer it is, if it is one of a phase.
void check_condition(const Checking& checking, const Spot& spot, const Condition& condition, const Shape& answer,
                     std::optional<std::size_t> phase = std::nullopt);
// Of a way out of this phase: `items` asks what came of all its items.
void check_when(const Checking& checking, const Spot& spot, const Condition& when, std::size_t phase);

// Sides of an `only`: sources, and what they are compared with. `phase`: the one that it is for, if any.
void check_sides(const Checking& checking, const Spot& spot, const Condition& only, std::optional<std::size_t> phase);

// `is_native`: whether it has to be a part of the engine, or must not be.
void check_role(const Checking& checking, const Spot& spot, const std::string& name, bool is_native);
// Where the words of inputs come from.
void check_input_sources(const Checking& checking, const Spot& spot, const Inputs& inputs, const Allowed& allowed);

// The parts of check_spec, one file each.
void check_flow(const Checking& checking);      // phases, ways, loops
void check_entries(const Checking& checking);   // where runs begin and end, and with which words
void check_circles(const Checking& checking);   // of ways, that have no end
void check_frame(const Checking& checking);     // roles, values, team, ledger, series, before
void check_phases(const Checking& checking);    // what each phase refers to
void check_items(const Checking& checking);     // where items and findings come from
void check_refusals(const Checking& checking);  // what follows when a gate or a check says no
void check_ladders(const Checking& checking);   // ladders, and what roles can do
void check_prompts(const Checking& checking);   // templates and their inputs
// The shapes of all answers; schemas that are missing or wrong are problems.
std::vector<AnswerShape> check_answers(const Workflow& workflow, const Document& document, const Bundle& bundle,
                                       Problems& problems);
// Null, and a problem, when the bundle has no such file.
const std::string* find_file(const Spot& spot, const std::string& name, const std::string& file, const Bundle& bundle,
                             Problems& problems);

}  // namespace teamster::workflow
