#include "store/fresh_keys.h"

#include <algorithm>

#include "store/store_limits.h"

namespace teamster::store {

void FreshKeys::reset(std::string highest) {
  horizon_ = std::move(highest);
  above_.clear();
}

bool FreshKeys::is_certainly_new(const std::string& key) const {
  return key > horizon_ && key < kEnd && !above_.contains(key);
}

void FreshKeys::add(const std::string& key) {
  if (key <= horizon_ || key >= kEnd) return;
  above_.insert(key);
  if (above_.size() > kFreshKeysMax) reset(*std::max_element(above_.begin(), above_.end()));
}

}  // namespace teamster::store
