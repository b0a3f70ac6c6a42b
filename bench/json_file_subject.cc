#include "bench/json_file_subject.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "env/file_error.h"
#include "env/real/descriptor.h"

namespace teamster::bench {
namespace {

using env::real::Descriptor;

Json message_json(std::uint64_t id, int from) {
  return {{"id", id},      {"from", fmt::format("sender-{}", from)}, {"kind", "message"}, {"body", message_body()},
          {"read", false}, {"sent", "2026-11-15T20:19:03.123Z"}};
}

Result<std::string> read_whole(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(env::file_error(errno, "open", path));
  const off_t size = ::lseek(file.number(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t got = ::pread(file.number(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got <= 0) return fail(env::file_error(errno, "read", path));
    at += static_cast<std::size_t>(got);
  }
  return text;
}

Result<void> replace(const std::string& directory, const std::string& path, const std::string& text, bool sync) {
  const std::string temporary = path + ".new";
  {
    const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file) return fail(env::file_error(errno, "create", temporary));
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t put = ::write(file.number(), text.data() + at, text.size() - at);
      if (put <= 0) return fail(env::file_error(errno, "write", temporary));
      at += static_cast<std::size_t>(put);
    }
    if (sync && ::fsync(file.number()) != 0) return fail(env::file_error(errno, "sync", temporary));
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return fail(env::file_error(errno, "rename", temporary));
  if (!sync) return {};
  const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.number()) != 0) return fail(env::file_error(errno, "sync", directory));
  return {};
}

Result<std::int64_t> append(const std::string& directory, int worker, bool sync) {
  const std::string path = directory + "/inbox.json";
  const Descriptor lock(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock || ::flock(lock.number(), LOCK_EX) != 0) return fail(env::file_error(errno, "lock", path));
  Json inbox = Json::parse(TRY(read_whole(path)));
  const auto id = static_cast<std::int64_t>(inbox.size()) + 1;
  inbox.push_back(message_json(static_cast<std::uint64_t>(id), worker));
  TRY_VOID(replace(directory, path, inbox.dump(), sync));
  return id;
}

}  // namespace

Result<void> JsonFileSubject::prepare_inbox(std::uint64_t messages) {
  std::string text = "[";
  for (std::uint64_t id = 1; id <= messages; ++id) text += (id > 1 ? "," : "") + message_json(id, 0).dump();
  text += "]";
  filled_ = messages;
  return replace(directory_, directory_ + "/inbox.json", text, true);
}

Prepare JsonFileSubject::sender() {
  return [directory = directory_, sync = sync_](int worker) -> Result<Operation> {
    return Operation([=]() -> Result<std::optional<std::int64_t>> {
      return std::optional(TRY(append(directory, worker, sync == Sync::yes)));
    });
  };
}

Result<Faults> JsonFileSubject::inspect_messages(const Measured& measured) {
  const Json inbox = Json::parse(TRY(read_whole(directory_ + "/inbox.json")));
  const std::uint64_t expected = filled_ + measured.operations();
  return Faults{.lost = expected > inbox.size() ? expected - inbox.size() : 0};
}

}  // namespace teamster::bench
