#include "workflow/core/people.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"

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

}  // namespace

std::string addressee(const Json& people, const std::string& to, const std::string& expertise) {
  if (!to.empty()) return to;
  const Json* knows = find_stakeholder(people, [&](const Json& person) {
    const Json& known = field_in(person, "expertise");
    return known.is_array() && std::find(known.begin(), known.end(), Json(expertise)) != known.end();
  });
  return knows == nullptr || expertise.empty() ? kOwner : raw_text_in(*knows, "handle");
}

bool is_addressed_to(const Json& people, const std::string& to, const std::string& handle) {
  if (to == handle) return true;
  if (to == kOwner) return owner_of(people) == handle;
  if (to != "stakeholders" && to != "qa") return false;
  return find_stakeholder(people, [&](const Json& person) {
           return raw_text_in(person, "handle") == handle && (to != "qa" || is_of_qa(person));
         }) != nullptr;
}

bool may_answer(const Json& people, const std::string& to, const std::string& handle) {
  return !people.is_object() || is_addressed_to(people, to, handle) || owner_of(people) == handle;
}

bool has_stakeholders(const Json& people) {
  return find_stakeholder(people, [](const Json&) { return true; }) != nullptr;
}

bool has_qa(const Json& people) { return find_stakeholder(people, is_of_qa) != nullptr; }

std::string owner_of(const Json& people) { return raw_text_in(people, kOwner); }

}  // namespace teamster::workflow
