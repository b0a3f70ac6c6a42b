// Spot: a schema in its document, on its way to become a node, and what its readers share.
// Borrows the document; lives while it is compiled.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "schema/node.h"

namespace teamster::schema {

inline constexpr std::size_t kPlaceShownBytes = 200;

// The place one step further. One that is longer than anybody reads stays as it is: the places of
// many schemas below a long name would take more memory than the document.
std::string place_in(const std::string& place, std::string_view step);

struct Spot {
  const Json& schema;
  std::string place;  // a JSON pointer, for errors
  NodeNumber number;

  std::string at(std::string_view keyword) const { return place_in(place, keyword); }
};

// What a keyword holds; nullptr when it is not there.
const Json* find(const Json& schema, const char* keyword);
bool is_list_of_names(const Json& value);
// The whole number that a keyword holds, or the other when it is not there.
Result<std::size_t> count_at(const Spot& spot, const char* keyword, std::size_t otherwise);

tl::unexpected<Error> refuse(const std::string& place, std::string_view what, std::string next = {});
tl::unexpected<Error> refuse_form(const std::string& place, const Json& value, std::string_view expected);

}  // namespace teamster::schema
