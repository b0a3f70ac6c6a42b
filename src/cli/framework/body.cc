#include "cli/framework/body.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::cli {

Result<std::string> read_body(const Context& context, const std::string& argument) {
  StandardInput input{argument, argument.size()};
  if (argument == "-") input = TRY(context.outside().read_input(limits::kBodyMaxBytes));
  if (input.bytes_there > limits::kBodyMaxBytes)
    return fail(Code::invalid,
                fmt::format("the body of {} bytes is over the limit of {}", input.bytes_there, limits::kBodyMaxBytes),
                "Put it into a file that the member can read, and send the path");
  if (const auto bad = find_invalid_utf8(input.text))
    return fail(Code::invalid,
                fmt::format("the body is not valid UTF-8 at byte {} (0x{:02x})", *bad,
                            static_cast<unsigned char>(input.text[*bad])),
                "Encode it, for example with base64");
  return std::move(input.text);
}

}  // namespace teamster::cli
