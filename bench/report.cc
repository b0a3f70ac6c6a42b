#include "bench/report.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/workers.h"
#include "version.h"

namespace teamster::bench {
namespace {

std::string number(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

Json machine() {
  utsname name{};
  ::uname(&name);
  return {{"kernel", name.release}, {"machine", name.machine}, {"processors", ::sysconf(_SC_NPROCESSORS_ONLN)}};
}

}  // namespace

double Figure::median() const { return quantile_of(rounds, 0.5); }
double Figure::least() const { return *std::min_element(rounds.begin(), rounds.end()); }
double Figure::most() const { return *std::max_element(rounds.begin(), rounds.end()); }

void Report::add(const std::string& measure, const std::string& subject, const std::string& unit, double value) {
  for (auto& figure : figures_)
    if (figure.measure == measure && figure.subject == subject) return figure.rounds.push_back(value);
  figures_.push_back({measure, subject, unit, {value}});
}

void Report::add_note(const std::string& note) {
  if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
}

const Figure* Report::find(const std::string& measure, const std::string& subject) const {
  for (const auto& figure : figures_)
    if (figure.measure == measure && figure.subject == subject) return &figure;
  return nullptr;
}

// Rates have their latencies as figures of their own; the table shows them in the same line.
std::string Report::latency(const Figure& figure, const char* quantile) const {
  const Figure* latency = find(figure.measure + quantile, figure.subject);
  return latency != nullptr ? number(latency->median()) : "";
}

void Report::print_figures() const {
  fmt::print("\n{:<42} {:<20} {:>9} {:>9} {:>9} {:<6} {:>8} {:>8}\n", "measure", "subject", "median", "min", "max",
             "unit", "p50 us", "p99 us");
  std::vector<std::string> printed;
  for (const auto& first : figures_) {
    const bool is_latency_of_other = first.measure.ends_with(kMedianSuffix) || first.measure.ends_with(kTailSuffix);
    if (is_latency_of_other || std::find(printed.begin(), printed.end(), first.measure) != printed.end()) continue;
    printed.push_back(first.measure);
    std::string measure = first.measure;
    for (const auto& figure : figures_) {
      if (figure.measure != first.measure) continue;
      fmt::print("{:<42} {:<20} {:>9} {:>9} {:>9} {:<6} {:>8} {:>8}\n", measure, figure.subject,
                 number(figure.median()), number(figure.least()), number(figure.most()), figure.unit,
                 latency(figure, kMedianSuffix), latency(figure, kTailSuffix));
      measure.clear();
    }
  }
}

void Report::print(const std::vector<Target>& targets) const {
  print_figures();
  fmt::print("\n{:<72} {:>8}  {:>8}\n", "target", "value", "bound");
  for (const auto& target : targets)
    fmt::print("{:<72} {:>8}  {} {:<5}  {}\n", target.what, number(target.value),
               target.at_least ? ">=" : "<=", number(target.bound), target.is_met() ? "met" : "MISSED");
  for (const auto& note : notes_) fmt::print("\nnote: {}\n", note);
}

Json Report::to_json(const std::vector<Target>& targets) const {
  Json figures = Json::array();
  for (const auto& figure : figures_)
    figures.push_back({{"measure", figure.measure},
                       {"subject", figure.subject},
                       {"unit", figure.unit},
                       {"median", figure.median()},
                       {"min", figure.least()},
                       {"max", figure.most()},
                       {"rounds", figure.rounds}});
  Json checked = Json::array();
  for (const auto& target : targets)
    checked.push_back({{"target", target.what},
                       {"value", target.value},
                       {"bound", target.bound},
                       {"at_least", target.at_least},
                       {"met", target.is_met()}});
  return {{"notes", notes_},
          {"version", kVersion},
          {"machine", machine()},
          {"figures", std::move(figures)},
          {"targets", std::move(checked)},
          {"lost", faults_.lost},
          {"double_claimed", faults_.double_claimed}};
}

Result<void> Report::write(const std::string& path, const std::vector<Target>& targets) const {
  std::ofstream file(path);
  file << dump_json_pretty(to_json(targets)) << '\n';
  file.close();
  if (!file) return fail(Code::failed, fmt::format("cannot write {}", path));
  return {};
}

}  // namespace teamster::bench
