#include "env/file_error.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace teamster::env {
namespace {

Code code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
      return Code::not_found;
    case EACCES:
    case EPERM:
      return Code::refused;
    case ENOSPC:
    case EDQUOT:
    case EROFS:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return Code::unavailable;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case EINVAL:
      return Code::invalid;
    default:
      return Code::failed;
  }
}

std::string_view next_step(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "Check that the path and its directory exist";
    case EACCES:
    case EPERM:
      return "Check who owns it and its permissions";
    case ENOSPC:
      return "Free some space on that disk and try again";
    case EDQUOT:
      return "Free some space or have your quota raised, and try again";
    case EROFS:
      return "The file system is mounted read-only: remount it, or choose another home";
    case EMFILE:
    case ENFILE:
      return "Too many files are open: raise `ulimit -n`, or close other programs";
    case ENOTDIR:
    case EISDIR:
      return "There is a file where a directory belongs, or the reverse: move it away, or choose another path";
    case EIO:
      return "The disk reports errors: look at `dmesg` and save a copy of what matters";
    default:
      return "";
  }
}

}  // namespace

std::string describe_errno(int error_number) {
  const char* text = strerrordesc_np(error_number);
  return text != nullptr ? text : fmt::format("error {}", error_number);
}

Error file_error(int error_number, std::string_view action, std::string_view path) {
  return Error{code_of(error_number), fmt::format("cannot {} {}: {}", action, path, describe_errno(error_number)),
               std::string(next_step(error_number))};
}

}  // namespace teamster::env
