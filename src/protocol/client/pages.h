// Lists that the hub hands out in pages, read to their end. Every list of the protocol has the same shape: items, and
// where it goes on. Whoever wants all of a list reads it with these; a first page alone is never all. Values, and
// functions on the client's loop.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "protocol/client/call.h"

namespace teamster::hub {

template <class Item>
struct Page {
  std::vector<Item> items;
  std::optional<std::int64_t> next;  // the `after` of the next page; empty at the end
};

// PageCursor: where a list goes on.
class PageCursor {
 public:
  explicit PageCursor(std::string operation, std::int64_t after = 0)
      : operation_(std::move(operation)), after_(after) {}

  std::int64_t after() const { return after_; }
  // Takes the `next` of a page and says whether another follows. Fails where a list does not get on.
  Result<bool> advance(std::optional<std::int64_t> next);

 private:
  std::string operation_;
  std::int64_t after_;
};

template <class Call>
using ItemOf = typename decltype(Call::Answer::items)::value_type;

// Every page, one after the other. `ask` asks for one, `take` gets it.
template <class Call, class Ask, class Take>
Result<void> for_each_page(Call call, Ask ask, Take take) {
  PageCursor cursor(Call::kOperation, call.after);
  while (true) {
    auto page = TRY(ask(Call(call)));
    const auto next = page.next;
    take(std::move(page));
    if (!TRY(cursor.advance(next))) return {};
    call.after = cursor.after();
  }
}

// All items; `ask` asks for one page.
template <class Call, class Ask>
Result<std::vector<ItemOf<Call>>> read_all(Call call, Ask ask) {
  std::vector<ItemOf<Call>> all;
  TRY_VOID(for_each_page(std::move(call), ask, [&](typename Call::Answer page) {
    all.insert(all.end(), std::make_move_iterator(page.items.begin()), std::make_move_iterator(page.items.end()));
  }));
  return all;
}

template <class Call>
Result<std::vector<ItemOf<Call>>> ask_for_all_and_wait(Client& client, Call call) {
  return read_all(std::move(call), [&](Call page) { return ask_and_wait(client, std::move(page)); });
}

template <class Call>
using AnsweredWithAll = std::function<void(Result<std::vector<ItemOf<Call>>>)>;

// All items, from the loop. The client, or the Calls, have to live until then.
template <class Caller, class Call>
void ask_for_all(Caller& client, Call call, AnsweredWithAll<Call> then) {
  struct Reading {
    Call call;
    PageCursor cursor;
    std::vector<ItemOf<Call>> all;
    AnsweredWithAll<Call> then;
  };
  struct Step {
    static void next(Caller& client, std::shared_ptr<Reading> reading) {
      Call page = reading->call;
      page.after = reading->cursor.after();
      ask<Caller, Call>(client, std::move(page), [&client, reading](Result<typename Call::Answer> answer) {
        if (!answer) return reading->then(fail(std::move(answer).error()));
        reading->all.insert(reading->all.end(), std::make_move_iterator(answer->items.begin()),
                            std::make_move_iterator(answer->items.end()));
        const auto goes_on = reading->cursor.advance(answer->next);
        if (!goes_on) return reading->then(fail(goes_on.error()));
        if (!*goes_on) return reading->then(std::move(reading->all));
        next(client, reading);
      });
    }
  };
  const PageCursor cursor(Call::kOperation, call.after);
  Step::next(client, std::make_shared<Reading>(Reading{std::move(call), cursor, {}, std::move(then)}));
}

}  // namespace teamster::hub
