#include "support/simulated_git.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "env/processes.h"
#include "env/random.h"
#include "project/project_path.h"

namespace teamster::simulation {
namespace {

constexpr std::size_t kRepositoryMaxBytes = std::size_t{4} << 20U;
constexpr std::size_t kHashDigits = 40;
constexpr std::uint64_t kGitLongestUs = 10'000;

bool is_at_or_below_any(const std::string& path, const std::vector<std::string>& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const std::string& place) { return engine::is_at_or_below(path, place); });
}

Json json_of(const SimulatedCommit& commit) {
  return {{"hash", commit.hash}, {"message", commit.message}, {"step", commit.step}, {"files", commit.files}};
}

}  // namespace

SimulatedRepository::SimulatedRepository(env::Files& files, std::string project)
    : files_(files), project_(std::move(project)) {
  const auto text = files_.read(file(), kRepositoryMaxBytes);
  if (!text) return;
  const Json json = Json::parse(*text);
  for (const auto& commit : json.at("log"))
    log_.push_back({commit.at("hash"), commit.at("message"), commit.at("step"),
                    commit.at("files").get<std::map<std::string, std::string>>()});
  tags_ = json.at("tags").get<std::map<std::string, std::string>>();
}

std::map<std::string, std::string> SimulatedRepository::head_files() const {
  return log_.empty() ? std::map<std::string, std::string>{} : log_.back().files;
}

void SimulatedRepository::gather(const std::string& below, std::map<std::string, std::string>& found) const {
  const auto names = files_.list(project_ + "/" + below);
  if (!names) return;
  for (const auto& name : *names) {
    const std::string path = below.empty() ? name : below + "/" + name;
    if (path == ".git") continue;
    const auto status = files_.status(project_ + "/" + path);
    if (status && *status && (*status)->is_directory)
      gather(path, found);
    else if (const auto bytes = files_.read(project_ + "/" + path, kRepositoryMaxBytes))
      found[path] = to_hex(sha256(*bytes));
  }
}

std::vector<std::string> SimulatedRepository::changed() const {
  std::map<std::string, std::string> now;
  gather("", now);
  const auto before = head_files();
  std::set<std::string> paths;
  for (const auto& [path, digest] : now)
    if (const auto known = before.find(path); known == before.end() || known->second != digest) paths.insert(path);
  for (const auto& [path, digest] : before)
    if (now.count(path) == 0) paths.insert(path);
  return {paths.begin(), paths.end()};
}

std::string SimulatedRepository::commit(const std::vector<std::string>& paths, const std::string& message,
                                        const std::string& step) {
  const std::string parent = log_.empty() ? "" : log_.back().hash;
  if (paths.empty()) return parent;
  std::map<std::string, std::string> now;
  gather("", now);
  SimulatedCommit commit{"", message, step, head_files()};
  for (const auto& path : paths) {
    commit.files.erase(path);
    if (const auto found = now.find(path); found != now.end()) commit.files.insert(*found);
  }
  commit.hash = to_hex(sha256(fmt::format("{} {}", parent, json_of(commit).dump()))).substr(0, kHashDigits);
  log_.push_back(std::move(commit));
  write();
  return log_.back().hash;
}

void SimulatedRepository::tag(const std::string& name, const std::string& hash) {
  tags_[name] = hash;
  write();
}

std::vector<engine::GitTag> SimulatedRepository::marks() const {
  std::vector<engine::GitTag> marks;
  for (const auto& [name, hash] : tags_) {
    engine::GitTag mark{name, hash, {}};
    for (const auto& commit : log_)
      if (commit.hash == hash && !commit.step.empty()) mark.steps.push_back(commit.step);
    marks.push_back(std::move(mark));
  }
  return marks;
}

void SimulatedRepository::write() {
  Json log = Json::array();
  for (const auto& commit : log_) log.push_back(json_of(commit));
  (void)files_.make_private_directory(project_ + "/.git");
  (void)files_.write_atomically(file(), dump_json({{"log", std::move(log)}, {"tags", tags_}}), 0600);
}

std::unique_ptr<engine::Git> SimulatedGits::open(const env::World& world, const std::string& project) {
  return std::make_unique<SimulatedGit>(*this, world, project);
}

bool SimulatedGits::is_at_work() const {
  return std::any_of(working_.begin(), working_.end(), [](const SimulatedGit* git) { return git->is_alive(); });
}

bool SimulatedGit::is_alive() const { return world_.processes.is_alive(world_.processes.self()); }

void SimulatedGit::later(env::Callback callback) {
  gits_.working_.insert(this);
  timer_ = world_.loop.after(std::chrono::microseconds(world_.random.next() % kGitLongestUs), std::move(callback));
}

template <class T>
void SimulatedGit::answer(const Done<T>& done, Result<T> outcome) {
  later([this, done, outcome = std::move(outcome)] {
    gits_.working_.erase(this);
    done(outcome);
  });
}

void SimulatedGit::changed_files(std::vector<std::string> except, Done<std::vector<std::string>> done) {
  later([this, except = std::move(except), done = std::move(done)] {
    auto changed = repository().changed();
    std::erase_if(changed, [&](const std::string& path) { return is_at_or_below_any(path, except); });
    answer<std::vector<std::string>>(done, std::move(changed));
  });
}

void SimulatedGit::detached_at(Done<std::optional<std::string>> done) {
  later([this, done = std::move(done)] {
    const auto commit = world_.files.read(project_ + "/.git/detached", kRepositoryMaxBytes);
    answer<std::optional<std::string>>(done, commit ? std::optional(*commit) : std::nullopt);
  });
}

void SimulatedGit::commit(engine::CommitRequest request, Done<std::string> done) {
  later([this, request = std::move(request), done = std::move(done)] {
    const std::string lock = repository().lock();
    const auto created = world_.files.create_exclusively(lock, "", 0600);
    if (!created) return answer<std::string>(done, fail(created.error()));
    if (*created) return later([this, request, done] { make_commit(request, done); });
    answer<std::string>(
        done, fail(Code::failed, fmt::format("`git add` in {} exited with code 128; it said: fatal: Unable to create "
                                             "'{}': File exists.",
                                             project_, lock)));
  });
}

void SimulatedGit::make_commit(const engine::CommitRequest& request, const Done<std::string>& done) {
  SimulatedRepository written = repository();
  auto paths = written.changed();
  std::erase_if(paths, [&](const std::string& path) { return !is_at_or_below_any(path, request.paths); });
  const std::string hash = written.commit(paths, request.message, request.step);
  (void)world_.files.remove_tree(written.lock());
  answer<std::string>(done, hash);
}

void SimulatedGit::find_commit(std::string step, std::string, Done<std::optional<std::string>> done) {
  later([this, step = std::move(step), done = std::move(done)] {
    std::optional<std::string> hash;
    const SimulatedRepository looked_at = repository();
    for (const auto& commit : looked_at.log())
      if (commit.step == step) hash = commit.hash;
    answer<std::optional<std::string>>(done, hash);
  });
}

void SimulatedGit::tag(engine::TagRequest request, Done<std::string> done) {
  later([this, request = std::move(request), done = std::move(done)] {
    SimulatedRepository tagged = repository();
    const auto place = engine::place_of_tag(request.pattern, request.commit, request.step, tagged.marks());
    if (!place) return answer<std::string>(done, fail(place.error()));
    if (place->how != engine::TagPlace::How::there) tagged.tag(place->name, request.commit);
    answer<std::string>(done, place->name);
  });
}

std::map<std::string, std::string> SimulatedRepository::contents() const {
  std::map<std::string, std::string> found;
  gather("", found);
  for (auto& [path, digest] : found)
    if (auto bytes = files_.read(project_ + "/" + path, kRepositoryMaxBytes)) digest = *std::move(bytes);
  return found;
}

// Beside the repository, so it survives what that survives.
std::string SimulatedGit::kept_file(std::string name) const {
  std::replace(name.begin(), name.end(), '/', '-');
  return project_ + "/.git/kept-" + name + ".json";
}

std::map<std::string, std::string> SimulatedGit::kept_tree(const std::string& name) const {
  const auto text = world_.files.read(kept_file(name), kRepositoryMaxBytes);
  if (!text) return {};
  return Json::parse(*text).at("files").get<std::map<std::string, std::string>>();
}

void SimulatedGit::keep_tree(std::string name, Done<void> done) {
  later([this, name = std::move(name), done = std::move(done)] {
    const auto there = world_.files.status(kept_file(name));
    if (!there || !*there) {
      const Json kept = {{"files", repository().contents()}, {"head", repository().head()}};
      (void)world_.files.make_private_directory(project_ + "/.git");
      (void)world_.files.write_atomically(kept_file(name), kept.dump(), 0600);
    }
    answer<void>(done, {});
  });
}

void SimulatedGit::changes_since(std::string name, Done<engine::TreeChanges> done) {
  later([this, name = std::move(name), done = std::move(done)] {
    const auto before = kept_tree(name);
    const auto now = repository().contents();
    std::set<std::string> paths;
    for (const auto& [path, bytes] : now)
      if (const auto known = before.find(path); known == before.end() || known->second != bytes) paths.insert(path);
    for (const auto& [path, bytes] : before)
      if (now.count(path) == 0) paths.insert(path);
    answer<engine::TreeChanges>(done, engine::TreeChanges{{paths.begin(), paths.end()}, false});
  });
}

void SimulatedGit::put_aside(std::string name, engine::TreeChanges changes, Done<std::string> done) {
  later([this, name = std::move(name), changes = std::move(changes), done = std::move(done)] {
    const auto before = kept_tree(name);
    for (const auto& path : changes.paths) {
      const auto known = before.find(path);
      if (known == before.end())
        (void)world_.files.remove_tree(project_ + "/" + path);
      else
        (void)world_.files.write_atomically(project_ + "/" + path, known->second, 0600);
    }
    answer<std::string>(done, "aside");
  });
}

void SimulatedGit::forget_tree(std::string name, Done<void> done) {
  later([this, name = std::move(name), done = std::move(done)] {
    (void)world_.files.remove_tree(kept_file(name));
    answer<void>(done, {});
  });
}

}  // namespace teamster::simulation
