// HubCall: a request to the hub whose answer is waited for, for who has no loop of its own to hear it on. A type;
// whoever hands it over says how.
#pragma once

#include <functional>

#include "base/json.h"
#include "base/result.h"
#include "protocol/client/client.h"

namespace teamster::engine {

using HubCall = std::function<Result<Json>(hub::Request)>;

}  // namespace teamster::engine
