#include "cli/framework/live_screen.h"

#include <algorithm>

#include <fmt/format.h>

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTick = 1s;
constexpr Duration kRedrawAfter = 100ms;  // what an agent says comes in many pieces
constexpr Duration kSilenceLeast = 30s;
constexpr Duration kSilenceMost = 10min;  // a log of a long turn is no place for hundreds of them
// Some terminals go to the next line after the last column.
constexpr std::size_t kFreeColumns = 1;
// What is typed while the line is there is written over it, and does not run over the edge behind it.
constexpr std::string_view kToItsBeginning = "\r";
constexpr std::string_view kErase = "\r\x1b[K";
constexpr std::string_view kEraseTyped = "\x1b[1A\r\x1b[J";

bool moves_the_cursor(const Outside& outside) {
  const auto terminal = outside.variable("TERM");
  return outside.output_is_terminal && terminal && !terminal->empty() && *terminal != "dumb";
}

}  // namespace

LiveScreen::LiveScreen(Context& context, const env::World& world, LiveScreenOptions options)
    : context_(context),
      clock_(world.clock),
      loop_(world.loop),
      options_(std::move(options)),
      is_terminal_(moves_the_cursor(context.outside())),
      silent_since_(clock_.now()),
      explain_after_(kSilenceLeast) {}

void LiveScreen::start() {
  if (context_.wants_json()) return;
  is_started_ = true;
  silent_since_ = clock_.now();
  tick();
}

void LiveScreen::stop() {
  is_started_ = false;
  tick_.reset();
  redraw_.reset();
  erase();
  context_.outside().out.flush();
}

void LiveScreen::print(std::string_view text) {
  erase();
  context_.print(text);
  silent_since_ = clock_.now();
  explain_after_ = kSilenceLeast;
  draw();
  context_.outside().out.flush();  // who watches wants to see it now
}

void LiveScreen::note(std::string_view text) {
  erase();
  context_.note(text);
  draw();
  context_.outside().out.flush();
}

void LiveScreen::changed() {
  if (!is_started_ || !is_terminal_ || redraw_) return;
  redraw_ = loop_.after(kRedrawAfter, [this] {
    redraw_.reset();
    erase();
    draw();
    context_.outside().out.flush();
  });
}

void LiveScreen::line_was_typed() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  context_.print_as_it_is(kEraseTyped);
  draw();
  context_.outside().out.flush();
}

bool LiveScreen::draws() const {
  return is_started_ && is_terminal_ && !options_.is_typed_at() && context_.outside().has_terminal();
}

void LiveScreen::draw() {
  if (!draws()) return;
  const std::string text = options_.live(context_.columns() - kFreeColumns);
  if (text.empty()) return;
  context_.print_as_it_is(context_.palette().dim(text) + std::string(kToItsBeginning));
  is_drawn_ = true;
}

void LiveScreen::erase() {
  if (std::exchange(is_drawn_, false)) context_.print_as_it_is(kErase);
}

void LiveScreen::tick() {
  tick_ = loop_.after(kTick, [this] { tick(); });
  if (!is_terminal_) return explain_silence();
  erase();
  draw();
  context_.outside().out.flush();
}

void LiveScreen::explain_silence() {
  if (!options_.is_at_work() || clock_.now() - silent_since_ < explain_after_) return;
  const std::string text = options_.live(SIZE_MAX);
  if (text.empty()) return;
  context_.print(fmt::format("{} … {}\n", to_iso8601(context_.now()).substr(11, 8), text));
  context_.outside().out.flush();
  silent_since_ = clock_.now();
  explain_after_ = std::min(explain_after_ * 2, kSilenceMost);
}

}  // namespace teamster::cli
