// Access: how a connection proves who it is. The operator shows the home's cookie and is no process of an agent; a
// member shows its token. Tokens are derived from the cookie, so none is ever stored in the
// journal and a lost token file can be written again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/random.h"
#include "env/world.h"
#include "protocol/client/home.h"

namespace teamster::hub {

inline constexpr int kProtocolVersion = 1;

// The home's cookie; home and cookie are made when there are none.
Result<std::string> ensure_cookie(env::Files& files, env::Random& random, const Home& home);
Result<std::string> read_secret_file(env::Files& files, const std::string& path, std::string_view what);

// Refused for a process of an agent, which may hold the cookie and is not the operator; and for one that is gone
// (nullopt), of which nobody can tell.
Result<void> check_is_operator(const env::World& world, const Home& home,
                               const std::optional<env::ProcessIdentity>& process);
// Whether this process may serve the home: one of an agent may not, or it would admit whom it likes.
Result<void> check_may_serve(const env::World& world, const Home& home);

struct TokenHolder {
  TeamId team;
  MemberId member;
  Epoch epoch;
};

std::string make_token(std::string_view cookie, const TokenHolder& holder);
// Refused unless it was made from this cookie.
Result<TokenHolder> check_token(std::string_view cookie, std::string_view token);

}  // namespace teamster::hub
