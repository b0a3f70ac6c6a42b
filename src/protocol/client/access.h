// Access: how a connection proves who it is. The operator shows the home's cookie, a
// member its token. Tokens are derived from the cookie, so none is ever stored in the
// journal and a lost token file can be written again.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "env/files.h"
#include "env/random.h"
#include "protocol/client/home.h"

namespace teamster::hub {

inline constexpr int kProtocolVersion = 1;

// The home's cookie; home and cookie are made when there are none.
Result<std::string> ensure_cookie(env::Files& files, env::Random& random, const Home& home);
Result<std::string> read_secret_file(env::Files& files, const std::string& path, std::string_view what);

struct TokenHolder {
  TeamId team;
  MemberId member;
  Epoch epoch;
};

std::string make_token(std::string_view cookie, const TokenHolder& holder);
// Refused unless it was made from this cookie.
Result<TokenHolder> check_token(std::string_view cookie, std::string_view token);

}  // namespace teamster::hub
