// Rules of the mailbox: who may send what to whom, delivery, receipts, and the
// redelivery of what nobody saw. Messages from one member to another keep their order.
#pragma once

#include "base/json.h"
#include "team/operation.h"

namespace teamster::team {

Result<Outcome> send_message(Scene& scene, const Actor& actor, const Json& args);
// To every live member but the sender, or to nobody.
Result<Outcome> broadcast_message(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> read_inbox(Scene& scene, const Actor& actor, const Json& args);
// Delivers what is queued; empty until something is.
Result<Outcome> wait_for_message(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> acknowledge_messages(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> message_receipt(Scene& scene, const Actor& actor, const Json& args);

// The recorded answer of a delivery holds ids; this puts the messages in their place.
Result<std::string> render_messages(Scene& scene, const std::string& recorded);

// Queues again what was delivered and not seen in time, or makes it a dead letter and
// tells the lead. Run inside a command of its own.
Result<void> redeliver(Scene& scene);

}  // namespace teamster::team
