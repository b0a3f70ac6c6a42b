#include "team/topic.h"

#include <nlohmann/json.hpp>

#include "protocol/words/message_records.h"
#include "protocol/words/team_records.h"

namespace teamster::team {

std::vector<Topic> topics_of(const store::Event& event) {
  std::vector<Topic> topics = {Topic::journal()};
  if (event.run.value != 0) {
    topics.push_back(Topic::records(event.run));
    // The end as well: nobody will tell it anything any more.
    const std::string& kind = event.kind;
    if (is_from_others(kind) || kind == kind::kRunEnded) topics.push_back(Topic::told(event.run));
    return topics;
  }
  const std::string& kind = event.kind;
  if (kind == kind::kMessageSent)
    topics.push_back(Topic::inbox(MessageSent::to_id_in(event.body)));
  else if (kind == kind::kMessageRequeued)
    topics.push_back(Topic::inbox(member_id_in(event.body)));
  else if (kind == kind::kTaskCreated || kind == kind::kTaskUpdated || kind == kind::kTaskReleased)
    topics.push_back(Topic::tasks(event.team));
  else if (kind == kind::kMemberTurn)
    return topics;  // nobody waits for turns; each would run every parked request of the team again
  else if (kind.starts_with("team.") || kind.starts_with("member."))
    topics.push_back(Topic::lifecycle(event.team));
  return topics;
}

}  // namespace teamster::team
