#include "simulation/run_witness.h"

#include <set>

#include <fmt/format.h>

namespace teamster::simulation {

void RunWitness::acknowledged(std::int64_t n, const std::string& id) {
  const auto [there, is_new] = by_number_.emplace(n, id);
  if (!is_new) accuse(fmt::format("number {} was given to {} and to {}", n, there->second, id));
}

void RunWitness::check(const std::vector<Json>& records) {
  std::int64_t last = 0;
  std::int64_t lease = 0;
  std::set<std::string> ids;
  std::map<std::int64_t, std::string> found;
  for (const auto& record : records) {
    const auto n = record.at("n").get<std::int64_t>();
    if (n != last + 1) accuse(fmt::format("record {} comes after {}", n, last));
    last = n;
    const auto kind = record.at("kind").get<std::string>();
    const Json& body = kind == "run.told" ? record.at("body").at("body") : record.at("body");
    if (kind == "run.started" || kind == "run.leased") {
      const auto granted = kind == "run.started" ? 1 : body.at("lease").get<std::int64_t>();
      if (granted != lease + 1) accuse(fmt::format("lease {} comes after {}", granted, lease));
      lease = granted;
    } else if (kind != "run.told" && body.at("lease") != lease) {
      accuse(fmt::format("record {} of lease {} comes after lease {}", n, body.at("lease").get<std::int64_t>(), lease));
    }
    const auto id = body.find("record");
    if (id == body.end()) continue;
    found[n] = id->get<std::string>();
    if (!ids.insert(found[n]).second) accuse(fmt::format("record {} is there twice", found[n]));
  }
  for (const auto& [n, id] : by_number_)
    if (found[n] != id) accuse(fmt::format("acknowledged record {} is not number {}: '{}' is", id, n, found[n]));
  takeovers_ = lease - 1;
}

}  // namespace teamster::simulation
