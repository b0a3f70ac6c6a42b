#include "workflow/core/people.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/text.h"

namespace teamster::workflow {
namespace {

template <class Predicate>
const Json* find_stakeholder(const Json& people, Predicate fits) {
  const Json& list = field_in(people, "stakeholders");
  if (!list.is_array()) return nullptr;
  const auto found = std::find_if(list.begin(), list.end(), fits);
  return found == list.end() ? nullptr : &*found;
}

std::string in_small(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool is_of_qa(const Json& person) { return field_in(person, "is_qa") == Json(true); }

bool is_one_addressed(const Json& people, const std::string& to, const std::string& handle) {
  if (to == handle) return true;
  if (to == kOwner) return handle_of(owner_of(people)) == handle;
  if (to != "stakeholders" && to != "qa") return false;
  return find_stakeholder(people, [&](const Json& person) {
           return handle_of(raw_text_in(person, "handle")) == handle && (to != "qa" || is_of_qa(person));
         }) != nullptr;
}

// "Backend / security and UX" are three.
std::vector<std::string> fields_of_expertise(const std::string& expertise) {
  std::string text = in_small(expertise);
  for (std::size_t at = text.find(" and "); at != std::string::npos; at = text.find(" and ")) text.replace(at, 5, ",");
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("/,;+&", begin), text.size());
    const std::string field(trimmed(text.substr(begin, end - begin)));
    if (!field.empty()) fields.push_back(field);
    begin = end + 1;
  }
  return fields;
}

std::set<std::string> words_in(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : in_small(text) + " ") {
    const bool is_of_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (is_of_word)
      word += c;
    else if (!word.empty())
      words.insert(std::exchange(word, {}));
  }
  return words;
}

// The handle of the first stakeholder who has this expertise, or else one that shares a word with it; empty: nobody.
std::string who_knows(const Json& people, const std::string& field) {
  const auto knows = [&](const auto& fits) {
    return find_stakeholder(people, [&](const Json& person) {
      const Json& known = list_in(person, "expertise");
      return std::any_of(known.begin(), known.end(),
                         [&](const Json& each) { return each.is_string() && fits(each.get<std::string>()); });
    });
  };
  const Json* found = knows([&](const std::string& known) { return in_small(known) == field; });
  const auto wanted = words_in(field);
  if (found == nullptr)
    found = knows([&](const std::string& known) {
      const auto words = words_in(known);
      return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& word) { return words.count(word) != 0; });
    });
  return found == nullptr ? std::string() : raw_text_in(*found, "handle");
}

// One line, whatever a file of people says: it must not become another line of a block.
std::string in_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

std::string role_of(const Json& person) {
  if (std::string role = raw_text_in(person, "role"); !role.empty()) return in_one_line(role);
  std::vector<std::string> all;
  for (const auto& each : list_in(person, "expertise"))
    if (each.is_string()) all.push_back(in_one_line(each.get<std::string>()));
  return join(all, ", ");
}

// "@sam+@ida" of "sam+ida".
std::string written(const std::string& address) {
  std::string text = "@" + address;
  for (std::size_t at = text.find('+'); at != std::string::npos; at = text.find('+', at + 2)) text.insert(at + 1, "@");
  return text;
}

}  // namespace

std::string handle_of(std::string_view written) {
  std::string handle(trimmed(written));
  if (handle.starts_with('@')) handle.erase(0, 1);
  for (char& c : handle)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return handle;
}

std::string address_of(std::string_view written) {
  std::string address;
  for (std::size_t begin = 0; begin <= written.size();) {
    const std::size_t end = std::min(written.find('+', begin), written.size());
    const std::string handle = handle_of(written.substr(begin, end - begin));
    if (!handle.empty()) address += (address.empty() ? "" : "+") + handle;
    begin = end + 1;
  }
  return address;
}

std::string addressee(const Json& people, const std::string& to, const std::string& expertise) {
  if (std::string named = address_of(to); !named.empty()) return named;
  std::vector<std::string> asked;
  for (const auto& field : fields_of_expertise(expertise)) {
    const std::string handle = who_knows(people, field);
    if (!handle.empty() && std::find(asked.begin(), asked.end(), handle) == asked.end()) asked.push_back(handle);
  }
  // Those who share a thread are asked there, in the order in which it names them.
  for (const auto& group : list_in(people, "groups"))
    if (group.is_array() && group.size() == asked.size() &&
        std::all_of(group.begin(), group.end(), [&](const Json& one) {
          return one.is_string() && std::find(asked.begin(), asked.end(), one.get<std::string>()) != asked.end();
        }))
      asked = group.get<std::vector<std::string>>();
  return asked.empty() ? kOwner : join(asked, "+");
}

bool is_addressed_to(const Json& people, const std::string& to, const std::string& handle) {
  const std::string person = handle_of(handle);
  const std::string address = address_of(to);
  for (std::size_t begin = 0; begin < address.size();) {
    const std::size_t end = std::min(address.find('+', begin), address.size());
    if (is_one_addressed(people, address.substr(begin, end - begin), person)) return true;
    begin = end + 1;
  }
  return false;
}

bool may_answer(const Json& people, const std::string& to, const std::string& handle) {
  return !people.is_object() || is_addressed_to(people, to, handle) || handle_of(owner_of(people)) == handle_of(handle);
}

bool has_stakeholders(const Json& people) {
  return find_stakeholder(people, [](const Json&) { return true; }) != nullptr;
}

bool has_qa(const Json& people) { return find_stakeholder(people, is_of_qa) != nullptr; }

std::string owner_of(const Json& people) { return raw_text_in(people, kOwner); }

Json stakeholders_of(const Json& people) {
  Json all = Json::array();
  for (const auto& person : list_in(people, "stakeholders"))
    all.push_back({{"handle", written(raw_text_in(person, "handle"))},
                   {"name", in_one_line(raw_text_in(person, "name"))},
                   {"role", role_of(person)},
                   {"is_qa", is_of_qa(person)}});
  return all;
}

std::string channel_of(const Json& people, const std::string& run, bool is_id) {
  const std::string known = raw_text_in(object_in(people, "channel"), is_id ? "id" : "name");
  return known.empty() ? run : known;
}

Json threads_of(const Json& people, const std::string& run) {
  Json threads = object_in(people, "threads");
  std::vector<std::string> addresses;
  for (const auto& person : list_in(people, "stakeholders")) addresses.push_back(raw_text_in(person, "handle"));
  for (const auto& group : list_in(people, "groups"))
    if (group.is_array() && !group.empty()) addresses.push_back(join(group.get<std::vector<std::string>>(), "+"));
  if (const std::string owner = handle_of(owner_of(people)); !owner.empty()) addresses.push_back(owner);
  const std::string channel = channel_of(people, run, true);
  for (const auto& address : addresses)
    if (const std::string key = written(address); !threads.contains(key))
      threads[key] = fmt::format("{}/{}", channel, address);
  return threads;
}

std::string chat_text(const Json& people, const std::string& run) {
  if (owner_of(people).empty() && !has_stakeholders(people)) return {};
  std::string text = fmt::format("  channel_id: {}\n  owner_handle: {}\n  threads:\n    stakeholders:\n",
                                 channel_of(people, run, true), written(handle_of(owner_of(people))));
  const Json threads = threads_of(people, run);
  for (const auto& [address, thread] : threads.items())
    text += fmt::format("      {}: {}\n", address, thread.is_string() ? thread.get<std::string>() : dump_json(thread));
  text += "  stakeholders:";
  for (const auto& person : stakeholders_of(people))
    text += fmt::format("\n    - handle: {}\n      name: {}\n      role: {}", raw_text_in(person, "handle"),
                        raw_text_in(person, "name"), raw_text_in(person, "role"));
  return text;
}

}  // namespace teamster::workflow
