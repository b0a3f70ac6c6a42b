// FreshKeys: tells of most idempotency keys, without a look into the file, that they are new.
// Keys that clients make up begin with the time (12 hex digits), so a new one is nearly
// always above all that were there when the file was opened; the few after that are kept
// here. Says "perhaps known" wherever it is not certain. Owned by the store, on its thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

namespace teamster::store {

class FreshKeys {
 public:
  // Every key below kEnd that was recorded so far is at most `highest`.
  void reset(std::string highest);
  // True only if the key was never added and is above `highest`.
  bool is_certainly_new(const std::string& key) const;
  // Recorded, or about to be; one that is then not recorded does no harm.
  void add(const std::string& key);

  // Times begin with a 0 for the next 500 years; a key somebody chose begins otherwise and is
  // always looked up.
  static constexpr std::string_view kEnd = "1";

 private:
  std::string horizon_;
  std::unordered_set<std::string> above_;  // all keys between horizon_ and kEnd
};

}  // namespace teamster::store
