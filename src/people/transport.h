// Transport: a way on which people are asked and answer: a terminal, later a chat or a page. Several can be in use for
// one run; the first valid reply counts, and the others are told. What comes back is a person's text; what it means is
// for replies.h. Driven by whoever drives the run, on its loop.
#pragma once

#include <functional>
#include <string>

#include "env/registration.h"
#include "people/posting.h"

namespace teamster::people {

struct TransportReply {
  std::string id;  // of the posting
  std::string text;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Once for each id, whatever crashes meanwhile: a transport that reaches outside looks first.
  virtual void post(const Posting& posting) = 0;
  // It does not wait any more; `why` in words: "kim answered it".
  virtual void withdraw(const std::string& id, const std::string& why) = 0;
  // Calls back with each reply for as long as the registration lives.
  virtual env::Registration on_reply(std::function<void(const TransportReply&)> callback) = 0;
};

}  // namespace teamster::people
