// What a member asks by a message, whoever it asks: the engine or the operator. Pure.
#pragma once

#include "protocol/client/message_calls.h"
#include "workflow/core/events.h"

namespace teamster::engine {

// The `ask` of an agent's tools says what it asks as an object, other messages as text.
workflow::event::Asked asked_in(const hub::Message& message);

}  // namespace teamster::engine
