// SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104). Pure. Used for digests of
// artifacts and for member tokens, which are derived instead of stored.
// Own code because a crypto library would be the largest part of the hub's memory.
#pragma once

#include <array>
#include <string_view>

namespace teamster {

using Sha256Digest = std::array<unsigned char, 32>;

Sha256Digest sha256(std::string_view bytes);
Sha256Digest hmac_sha256(std::string_view key, std::string_view message);

}  // namespace teamster
