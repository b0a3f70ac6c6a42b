#include "workflow/core/people.h"

#include <algorithm>

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

bool is_of_qa(const Json& person) { return field_in(person, "is_qa") == Json(true); }

bool is_one_addressed(const Json& people, const std::string& to, const std::string& handle) {
  if (to == handle) return true;
  if (to == kOwner) return handle_of(owner_of(people)) == handle;
  if (to != "stakeholders" && to != "qa") return false;
  return find_stakeholder(people, [&](const Json& person) {
           return handle_of(raw_text_in(person, "handle")) == handle && (to != "qa" || is_of_qa(person));
         }) != nullptr;
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
  const Json* knows = find_stakeholder(people, [&](const Json& person) {
    const Json& known = field_in(person, "expertise");
    return known.is_array() && std::find(known.begin(), known.end(), Json(expertise)) != known.end();
  });
  return knows == nullptr || expertise.empty() ? kOwner : raw_text_in(*knows, "handle");
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

}  // namespace teamster::workflow
