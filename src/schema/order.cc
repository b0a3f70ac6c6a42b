#include "schema/order.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace teamster::schema {
namespace {

constexpr std::size_t kOrderedBytesPerStep = 64;

// Holds every number of JSON as it is: a double does not hold every integer.
long double number_of(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  return static_cast<long double>(value.get<double>());
}

// All numbers are of one kind: an integer may equal one that is none.
std::string_view kind_of(const Json& value) { return value.is_number() ? "number" : type_of(value); }

template <class T>
int compare_simple(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_lists(const Json& a, const Json& b, std::size_t& steps) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const int order = compare(a[i], b[i], steps)) return order;
  return compare_simple(a.size(), b.size());
}

int compare_texts(const std::string& a, const std::string& b, std::size_t& steps) {
  steps += std::min(a.size(), b.size()) / kOrderedBytesPerStep;
  return a.compare(b);
}

// Their properties are sorted by name.
int compare_objects(const Json& a, const Json& b, std::size_t& steps) {
  if (a.size() != b.size()) return compare_simple(a.size(), b.size());
  for (auto at_a = a.begin(), at_b = b.begin(); at_a != a.end(); ++at_a, ++at_b) {
    if (const int order = compare_texts(at_a.key(), at_b.key(), steps)) return order;
    if (const int order = compare(*at_a, *at_b, steps)) return order;
  }
  return 0;
}

}  // namespace

std::string_view type_of(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "boolean";
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return "null";
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "number") return value.is_number();
  if (type == "integer" && value.is_number_float()) {
    const double number = value.get<double>();
    return std::isfinite(number) && number == std::floor(number);
  }
  return type_of(value) == type;
}

int compare(const Json& a, const Json& b, std::size_t& steps) {
  ++steps;
  if (const int order = compare_simple(kind_of(a), kind_of(b))) return order;
  if (a.is_number()) return compare_simple(number_of(a), number_of(b));
  if (a.is_string()) return compare_texts(a.get_ref<const std::string&>(), b.get_ref<const std::string&>(), steps);
  if (a.is_array()) return compare_lists(a, b, steps);
  if (a.is_object()) return compare_objects(a, b, steps);
  return a.is_boolean() ? compare_simple(a.get<bool>(), b.get<bool>()) : 0;
}

}  // namespace teamster::schema
