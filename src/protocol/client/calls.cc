#include "protocol/client/calls.h"

namespace teamster::hub {

void Calls::call(Request request, Client::Answer answer) {
  const std::int64_t number = ++last_;
  unanswered_[number] =
      client_.call_owned(std::move(request), [this, number, answer = std::move(answer)](Result<Json> given) {
        unanswered_.erase(number);
        answer(std::move(given));
      });
}

}  // namespace teamster::hub
