#include "protocol/client/access.h"

#include <charconv>

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"
#include "env/lineage.h"

namespace teamster::hub {
namespace {

constexpr std::size_t kCookieBytes = 32;
constexpr std::size_t kSecretFileMaxBytes = 4096;
constexpr std::string_view kTokenPrefix = "tmst1";

std::string signed_part(const TokenHolder& holder) {
  return fmt::format("{}.{}.{}.{}", kTokenPrefix, holder.team.value, holder.member.value, holder.epoch.value);
}

bool take_number(std::string_view& text, std::int64_t& number) {
  if (text.empty() || text[0] != '.') return false;
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} && number > 0;
}

}  // namespace

Result<std::string> read_secret_file(env::Files& files, const std::string& path, std::string_view what) {
  auto text = files.read(path, kSecretFileMaxBytes);
  if (!text) return fail(text.error().within(what));
  std::string secret(trimmed(*text));
  if (secret.empty())
    return fail(Code::failed, fmt::format("{}: {} is empty", what, path), "Remove the file and try again");
  return secret;
}

Result<std::string> ensure_cookie(env::Files& files, env::Random& random, const Home& home) {
  auto known = read_secret_file(files, home.cookie_file(), "the home's cookie");
  if (known || known.error().code != Code::not_found) return known;
  TRY_VOID(files.make_private_directory(home.path()));
  // Two first commands may race: one creates it, both read the same.
  TRY_VOID(files.create_exclusively(home.cookie_file(), random.hex(kCookieBytes) + "\n", 0600));
  return read_secret_file(files, home.cookie_file(), "the home's cookie");
}

Result<void> check_is_operator(const env::World& world, const Home& home,
                               const std::optional<env::ProcessIdentity>& process) {
  const env::Lineage lineage =
      process ? env::lineage_of(world.processes, world.files, *process, home.path()) : env::Lineage::uncertain;
  if (lineage == env::Lineage::free) return {};
  if (lineage == env::Lineage::kept)
    return fail(Code::refused, "a process of an agent is not the operator, whatever it shows",
                "Members act with their own token: use the team tools");
  return fail(Code::refused, "nobody can tell whether this is the operator: the process that connected has ended",
              "Ask from the process that connects, and let it live until it is answered");
}

Result<void> check_may_serve(const env::World& world, const Home& home) {
  const auto lineage = env::lineage_of(world.processes, world.files, world.processes.self(), home.path());
  if (lineage != env::Lineage::kept) return {};
  return fail(Code::refused, fmt::format("a process of an agent does not start the hub of {}", home.path()),
              "The operator's commands start it, and so do runs; members use the team tools");
}

std::string make_token(std::string_view cookie, const TokenHolder& holder) {
  const std::string text = signed_part(holder);
  return text + "." + to_hex(hmac_sha256(cookie, text));
}

Result<TokenHolder> check_token(std::string_view cookie, std::string_view token) {
  TokenHolder holder;
  std::string_view rest = token;
  if (rest.starts_with(kTokenPrefix)) {
    rest.remove_prefix(kTokenPrefix.size());
    if (take_number(rest, holder.team.value) && take_number(rest, holder.member.value) &&
        take_number(rest, holder.epoch.value) && equal_in_constant_time(make_token(cookie, holder), token))
      return holder;
  }
  return fail(Code::refused, "the token is not one of this home",
              "Use the token file that `teamster team create` or `team join` named");
}

}  // namespace teamster::hub
