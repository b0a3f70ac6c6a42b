#include "people/stakeholders.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "workflow/core/people.h"
#include "yaml/document.h"
#include "yaml/fields.h"

namespace teamster::cli {
namespace {

using workflow::Fields;
using workflow::Node;
using workflow::Reading;

// Words that a question may be addressed to, and so nobody's own.
bool is_reserved(const std::string& handle) {
  return handle == "owner" || handle == "stakeholders" || handle == "qa" || handle == "operator";
}

class Reader {
 public:
  explicit Reader(const Reading& reading) : reading_(reading) {}

  Json people(const Node& root) {
    Json people = {{"owner", ""}, {"stakeholders", Json::array()}, {"groups", Json::array()}};
    if (root.kind == Node::Kind::list) {
      people["stakeholders"] = stakeholders(root);
      return people;
    }
    Fields fields(reading_, root, "the file of stakeholders");
    if (const Node* owner = fields.take("owner")) {
      const Json person = owner_in(*owner);
      people["owner"] = person["handle"];
      people["owner_name"] = person["name"];
    }
    if (const Node* list = fields.need("stakeholders")) people["stakeholders"] = stakeholders(*list);
    if (const Node* groups = fields.take("groups")) people["groups"] = this->groups(*groups);
    fields.finish();
    return people;
  }

 private:
  // The owner may be a stakeholder as well, so this handle counts for itself.
  Json owner_in(const Node& node) {
    if (node.kind == Node::Kind::scalar) {
      check_handle(node, "the owner");
      return {{"handle", workflow::handle_of(node.text)}, {"name", node.text}};
    }
    Fields fields(reading_, node, "the owner");
    Json person = named(fields);
    fields.text("contact");
    fields.finish();
    return person;
  }

  Json stakeholders(const Node& list) {
    Json all = Json::array();
    if (list.kind != Node::Kind::list) {
      reading_.problem(list.place, fmt::format("stakeholders must be a list, found {}", describe(list)));
      return all;
    }
    for (const auto& node : list.items) all.push_back(stakeholder(node));
    return all;
  }

  Json stakeholder(const Node& node) {
    Fields fields(reading_, node, "a stakeholder");
    Json person = named(fields);
    const auto handle = person["handle"].get<std::string>();
    if (!handle.empty() && !places_.emplace(handle, node.place).second)
      reading_.problem(node.place,
                       fmt::format("{} is there twice, first in line {}: everybody needs a handle of their own", handle,
                                   places_.at(handle).line));
    std::vector<std::string> expertise = fields.texts("expertise");
    if (const auto role = fields.text("role")) {
      expertise.push_back(*role);
      person["role"] = *role;
    }
    person["expertise"] = expertise;
    person["is_qa"] = fields.flag("is_qa").value_or(false);
    if (const auto contact = fields.text("contact")) person["contact"] = *contact;
    fields.finish();
    return person;
  }

  // Without a handle the name is one, if it can be.
  Json named(Fields& fields) {
    const Node* handle = fields.take("handle");
    std::string name;
    if (handle == nullptr) {
      handle = fields.node().find("name");
      name = fields.need_text("name");
    } else {
      name = fields.text("name").value_or(handle->text);
    }
    if (handle != nullptr) check_handle(*handle, "a person");
    return {{"handle", handle == nullptr ? "" : workflow::handle_of(handle->text)}, {"name", name}};
  }

  // As people write it: with or without an @, letters of either case.
  void check_handle(const Node& node, const std::string& whose) {
    const std::string handle = node.kind == Node::Kind::scalar ? workflow::handle_of(node.text) : "";
    const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    const auto is_next = [&](char c) { return is_first(c) || c == '.' || c == '_' || c == '-'; };
    if (handle.empty() || handle.size() > limits::kNameMaxBytes || !is_first(handle[0]) ||
        !std::all_of(handle.begin(), handle.end(), is_next))
      return reading_.problem(node.place,
                              fmt::format("{} is no handle of {}: use 1 to 64 letters, digits, '.', '_' and '-', "
                                          "starting with a letter or digit; an @ may stand before it",
                                          quoted(node.text, 80), whose));
    if (is_reserved(handle))
      reading_.problem(node.place,
                       fmt::format("{} stands for others in questions: give {} another handle", handle, whose));
  }

  Json groups(const Node& list) {
    Json all = Json::array();
    if (list.kind != Node::Kind::list) {
      reading_.problem(list.place, fmt::format("groups must be a list of lists of handles, found {}", describe(list)));
      return all;
    }
    for (const auto& node : list.items) {
      for (const auto& handle : node.items)
        if (places_.count(workflow::handle_of(handle.text)) == 0)
          reading_.problem(handle.place, fmt::format("{} is no stakeholder", quoted(handle.text, 80)));
      std::vector<std::string> group = workflow::read_texts(reading_, node, "a group");
      for (auto& handle : group) handle = workflow::handle_of(handle);
      all.push_back(std::move(group));
    }
    return all;
  }

  const Reading& reading_;
  std::map<std::string, workflow::Place> places_;  // of handles
};

void check_expertise(const Reading& reading, const Node& root, const Json& people, const workflow::Workflow& workflow) {
  for (const auto& phase : workflow.phases) {
    if (!phase.question || phase.question->expertise.empty() || !phase.question->to.empty()) continue;
    const std::string& wanted = phase.question->expertise;
    const Json& all = people["stakeholders"];
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Json& person) {
      const Json& known = person["expertise"];
      return std::find(known.begin(), known.end(), Json(wanted)) != known.end();
    });
    if (is_known) continue;
    const Node* list = root.find("stakeholders");
    reading.problem(list == nullptr ? root.place : list->place,
                    fmt::format("nobody has the expertise {}, for which phase {} of {} asks: give it to somebody",
                                quoted(wanted, 80), phase.id, workflow.name));
  }
}

std::set<std::string> handles_in(const std::string& address) {
  std::set<std::string> handles;
  for (std::size_t begin = 0; begin < address.size();) {
    const std::size_t end = std::min(address.find('+', begin), address.size());
    handles.insert(address.substr(begin, end - begin));
    begin = end + 1;
  }
  return handles;
}

// Those whom the workflow names together must be a group: nobody is asked with strangers by mistake.
void check_groups(const Reading& reading, const Node& root, const Json& people, const workflow::Workflow& workflow) {
  for (const auto& phase : workflow.phases) {
    const std::string& to = phase.question ? phase.question->to : phase.to;
    if (to.find('+') == std::string::npos || to.find("{{") != std::string::npos) continue;
    const std::string address = workflow::address_of(to);
    const auto wanted = handles_in(address);
    const bool has_words = std::any_of(wanted.begin(), wanted.end(), is_reserved);
    const Json& groups = people["groups"];
    const bool is_group = std::any_of(groups.begin(), groups.end(),
                                      [&](const Json& group) { return group.get<std::set<std::string>>() == wanted; });
    if (has_words || wanted.size() < 2 || is_group) continue;
    const Node* list = root.find("groups");
    reading.problem(list == nullptr ? root.place : list->place,
                    fmt::format("phase {} of {} is for {} together, who are no group: add [{}] to `groups`", phase.id,
                                workflow.name, address, fmt::join(wanted, ", ")));
  }
}

}  // namespace

Result<Json> read_stakeholders(const std::string& file, std::string_view text, const workflow::Workflow& workflow) {
  workflow::Problems problems;
  Json people;
  if (const auto document = workflow::parse_document(file, text, problems)) {
    const Reading reading{file, problems};
    people = Reader(reading).people(document->root);
    if (problems.empty()) {
      check_expertise(reading, document->root, people, workflow);
      check_groups(reading, document->root, people, workflow);
    }
  }
  if (problems.empty()) return people;
  std::vector<std::string> lines;
  for (const auto& problem : problems.sorted()) lines.push_back(problem.text());
  return fail(Code::invalid, join(lines, "\n"), "Mend the file; docs/formats/workflow.md has an example");
}

}  // namespace teamster::cli
