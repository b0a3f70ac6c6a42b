#include "team/topic.h"

#include <nlohmann/json.hpp>

namespace teamster::team {

std::vector<Topic> topics_of(const store::Event& event) {
  std::vector<Topic> topics = {Topic::journal()};
  if (event.run.value != 0) {
    topics.push_back(Topic::records(event.run));
    // The end as well: nobody will tell it anything any more.
    const std::string& kind = event.kind;
    if (kind == store::kind::kRunTold || kind == store::kind::kRunLeased || kind == store::kind::kRunEnded)
      topics.push_back(Topic::told(event.run));
    return topics;
  }
  const auto member = [&](const char* field) { return MemberId(event.body.at(field).get<std::int64_t>()); };
  const std::string& kind = event.kind;
  if (kind == store::kind::kMessageSent)
    topics.push_back(Topic::inbox(member("to_id")));
  else if (kind == store::kind::kMessageRequeued)
    topics.push_back(Topic::inbox(member("member_id")));
  else if (kind == store::kind::kTaskCreated || kind == store::kind::kTaskUpdated || kind == store::kind::kTaskReleased)
    topics.push_back(Topic::tasks(event.team));
  else if (kind == store::kind::kMemberTurn)
    return topics;  // nobody waits for turns; each would run every parked request of the team again
  else if (kind.starts_with("team.") || kind.starts_with("member."))
    topics.push_back(Topic::lifecycle(event.team));
  return topics;
}

}  // namespace teamster::team
