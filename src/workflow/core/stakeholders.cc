#include "workflow/core/stakeholders.h"

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

namespace teamster::workflow {
namespace {

// Words that a question may be addressed to, and so nobody's own.
bool stands_for_others(const std::string& handle) {
  return handle == "owner" || handle == "stakeholders" || handle == "qa" || handle == "operator";
}

// Empty, or what is wrong with a handle, as people write it: with or without an @, letters of either case.
std::string problem_of_handle(const std::string& written, const std::string& whose) {
  const std::string handle = handle_of(written);
  const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto is_next = [&](char c) { return is_first(c) || c == '.' || c == '_' || c == '-'; };
  if (handle.empty() || handle.size() > limits::kNameMaxBytes || !is_first(handle[0]) ||
      !std::all_of(handle.begin(), handle.end(), is_next))
    return fmt::format(
        "{} is no handle of {}: use 1 to 64 letters, digits, '.', '_' and '-', starting with a letter or digit; an @ "
        "may stand before it",
        quoted(written, 80), whose);
  if (stands_for_others(handle))
    return fmt::format("{} stands for others in questions: give {} another handle", handle, whose);
  return {};
}

// The file of --stakeholders.
class PeopleFile {
 public:
  explicit PeopleFile(const Reading& reading) : reading_(reading) {}

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
      return {{"handle", handle_of(node.text)}, {"name", node.text}};
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
    return {{"handle", handle == nullptr ? "" : handle_of(handle->text)}, {"name", name}};
  }

  void check_handle(const Node& node, const std::string& whose) {
    const std::string wrong = problem_of_handle(node.kind == Node::Kind::scalar ? node.text : "", whose);
    if (!wrong.empty()) reading_.problem(node.place, wrong);
  }

  Json groups(const Node& list) {
    Json all = Json::array();
    if (list.kind != Node::Kind::list) {
      reading_.problem(list.place, fmt::format("groups must be a list of lists of handles, found {}", describe(list)));
      return all;
    }
    for (const auto& node : list.items) {
      for (const auto& handle : node.items)
        if (places_.count(handle_of(handle.text)) == 0)
          reading_.problem(handle.place, fmt::format("{} is no stakeholder", quoted(handle.text, 80)));
      std::vector<std::string> group = read_texts(reading_, node, "a group");
      for (auto& handle : group) handle = handle_of(handle);
      all.push_back(std::move(group));
    }
    return all;
  }

  const Reading& reading_;
  std::map<std::string, Place> places_;  // of handles
};

// What the workflow asks for and these people have not; `list` is the key under which it would stand in a file.
struct Lack {
  const char* list;
  std::string what;
};

void find_lack_of_expertise(const Json& people, const Workflow& workflow, std::vector<Lack>& lacks) {
  for (const auto& phase : workflow.phases) {
    if (!phase.question || phase.question->expertise.empty() || !phase.question->to.empty()) continue;
    const std::string& wanted = phase.question->expertise;
    const Json& all = people["stakeholders"];
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Json& person) {
      const Json& known = person["expertise"];
      return std::find(known.begin(), known.end(), Json(wanted)) != known.end();
    });
    if (!is_known)
      lacks.push_back({"stakeholders",
                       fmt::format("nobody has the expertise {}, for which phase {} of {} asks: give it to somebody",
                                   quoted(wanted, 80), phase.id, workflow.name)});
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
void find_lack_of_groups(const Json& people, const Workflow& workflow, std::vector<Lack>& lacks) {
  for (const auto& phase : workflow.phases) {
    const std::string& to = phase.question ? phase.question->to : phase.to;
    if (to.find('+') == std::string::npos || to.find("{{") != std::string::npos) continue;
    const std::string address = address_of(to);
    const auto wanted = handles_in(address);
    const bool has_words = std::any_of(wanted.begin(), wanted.end(), stands_for_others);
    const Json& groups = people["groups"];
    const bool is_group = std::any_of(groups.begin(), groups.end(),
                                      [&](const Json& group) { return group.get<std::set<std::string>>() == wanted; });
    if (has_words || wanted.size() < 2 || is_group) continue;
    lacks.push_back({"groups", fmt::format("phase {} of {} is for {} together, who are no group: add [{}] to `groups`",
                                           phase.id, workflow.name, address, fmt::join(wanted, ", "))});
  }
}

std::vector<Lack> lacks_of(const Json& people, const Workflow& workflow) {
  std::vector<Lack> lacks;
  find_lack_of_expertise(people, workflow, lacks);
  find_lack_of_groups(people, workflow, lacks);
  return lacks;
}

std::vector<std::string> parts_between(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (const auto part = trimmed(text.substr(begin, end - begin)); !part.empty()) parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

bool is_word(const std::string& text, std::initializer_list<const char*> words) {
  const std::string small = handle_of(text);
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return small == word; });
}

// People as one writes them into a chat: a line for each.
class PeopleLines {
 public:
  Json people(std::string_view text) {
    people_ = {{"owner", ""}, {"stakeholders", Json::array()}, {"groups", Json::array()}};
    const std::string whole(trimmed(text));
    if (is_word(whole, {"none", "nobody"})) return people_;
    for (const auto& line : parts_between(text, "\n;")) {
      std::string_view entry = line;
      if (entry.starts_with("- ") || entry.starts_with("* ")) entry.remove_prefix(2);
      const bool is_group = entry.find('+') != std::string_view::npos && entry.find(',') == std::string_view::npos;
      if (is_group)
        groups_.emplace_back(entry);
      else
        add_person(parts_between(entry, ","));
    }
    for (const auto& group : groups_) add_group(group);
    if (handles_.empty() && people_["owner"] == "")
      problems_.emplace_back("nobody is named: write a line for each, or none");
    return people_;
  }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  // Handle, name, and in any order what they know about and what they are.
  void add_person(const std::vector<std::string>& parts) {
    if (parts.empty()) return;
    if (const std::string wrong = problem_of_handle(parts[0], "a person"); !wrong.empty()) {
      problems_.push_back(wrong);
      return;
    }
    const std::string handle = handle_of(parts[0]);
    std::string name = parts[0];
    std::vector<std::string> expertise;
    bool is_qa = false;
    bool is_owner = false;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (is_word(parts[i], {"qa", "is_qa"}))
        is_qa = true;
      else if (is_word(parts[i], {"owner"}))
        is_owner = true;
      else if (i == 1)
        name = parts[i];
      else
        for (auto& each : parts_between(parts[i], "/")) expertise.push_back(std::move(each));
    }
    if (is_owner) people_["owner"] = handle;
    if (is_owner) people_["owner_name"] = name;
    // Whose run it is need not be one of those who are asked.
    if (is_owner && !is_qa && expertise.empty()) return;
    if (!handles_.insert(handle).second)
      problems_.push_back(fmt::format("{} is there twice: everybody needs a handle of their own", handle));
    people_["stakeholders"].push_back({{"handle", handle}, {"name", name}, {"expertise", expertise}, {"is_qa", is_qa}});
  }

  void add_group(const std::string& written) {
    std::vector<std::string> group;
    for (const auto& handle : handles_in(address_of(written))) {
      if (handles_.count(handle) == 0)
        problems_.push_back(fmt::format("{} of the group {} is no stakeholder", handle, quoted(written, 80)));
      group.push_back(handle);
    }
    people_["groups"].push_back(std::move(group));
  }

  Json people_;
  std::set<std::string> handles_;
  std::vector<std::string> groups_;
  std::vector<std::string> problems_;
};

// Whether a text is the file of --stakeholders, and no lines.
bool looks_like_file(std::string_view text) {
  const std::string_view begin = trimmed(text);
  if (begin.starts_with('{') || begin.starts_with('[') || begin.starts_with("- {")) return true;
  for (const char* key : {"stakeholders:", "owner:", "groups:", "- handle:", "- name:"})
    if (begin.starts_with(key)) return true;
  return false;
}

}  // namespace

Result<Json> read_stakeholders(const std::string& file, std::string_view text, const Workflow& workflow) {
  Problems problems;
  Json people;
  if (const auto document = parse_document(file, text, problems)) {
    const Reading reading{file, problems};
    people = PeopleFile(reading).people(document->root);
    if (problems.empty())
      for (const auto& lack : lacks_of(people, workflow)) {
        const Node* list = document->root.find(lack.list);
        reading.problem(list == nullptr ? document->root.place : list->place, lack.what);
      }
  }
  if (problems.empty()) return people;
  std::vector<std::string> lines;
  for (const auto& problem : problems.sorted()) lines.push_back(problem.text());
  return fail(Code::invalid, join(lines, "\n"), "Mend the file; docs/formats/workflow.md has an example");
}

Result<Json> read_people(std::string_view text, const Workflow& workflow) {
  constexpr const char* kNext = "Write a line for each: handle, name, what they know about, and qa for who tests";
  if (looks_like_file(text)) {
    auto people = read_stakeholders("the answer", text, workflow);
    return people ? std::move(people) : fail(Code::invalid, people.error().what, kNext);
  }
  PeopleLines lines;
  Json people = lines.people(text);
  std::vector<std::string> problems = lines.problems();
  if (problems.empty())
    for (const auto& lack : lacks_of(people, workflow)) problems.push_back(lack.what);
  if (problems.empty()) return people;
  return fail(Code::invalid, join(problems, "\n"), kNext);
}

}  // namespace teamster::workflow
