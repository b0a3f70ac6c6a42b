#include "env/real/unix_network.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "env/file_error.h"
#include "env/real/fd_stream.h"
#include "env/real/unix_listener.h"

namespace teamster::env::real {
namespace {

constexpr int kBacklog = 4096;

std::string path_of(const SocketAddress& address) { return address.directory + "/" + address.name; }

Descriptor open_directory(const std::string& directory) {
  return Descriptor(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Descriptor new_socket() { return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

Result<sockaddr_un> address_in(const Descriptor& directory, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", directory.number(), name);
  if (name.empty() || name.find('/') != std::string::npos || path.size() >= sizeof(address.sun_path))
    return fail(Code::invalid, fmt::format("'{}' cannot be the name of a socket", name));
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// Nobody is there, or not now: the caller starts a hub or tries again.
bool means_nobody_listens(int error_number) {
  return error_number == ENOENT || error_number == ECONNREFUSED || error_number == EAGAIN;
}

Error connect_error(int error_number, const SocketAddress& address) {
  Error error = file_error(error_number, "connect to", path_of(address));
  if (means_nobody_listens(error_number)) {
    error.code = Code::unavailable;
    error.next = error_number == EAGAIN ? "It is overloaded: try again" : "Nobody listens there: start it first";
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<Listener>> UnixNetwork::listen(const SocketAddress& address, Accept accept) {
  const auto failed = [&address](int error_number) {
    return fail(file_error(error_number, "listen on", path_of(address)));
  };
  const Descriptor directory = open_directory(address.directory);
  if (!directory) return failed(errno);
  Descriptor socket = new_socket();
  if (!socket) return failed(errno);

  // It gets its real name only once it accepts, so that nobody ever finds it half made.
  const std::string temporary = fmt::format("{}.{}.{}", address.name, ::getpid(), random_.hex(4));
  const sockaddr_un bound = TRY(address_in(directory, temporary));
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&bound), sizeof(bound)) != 0) return failed(errno);
  if (::fchmodat(directory.number(), temporary.c_str(), 0600, 0) != 0 || ::listen(socket.number(), kBacklog) != 0 ||
      ::renameat(directory.number(), temporary.c_str(), directory.number(), address.name.c_str()) != 0) {
    const int error_number = errno;
    ::unlinkat(directory.number(), temporary.c_str(), 0);
    return failed(error_number);
  }
  return std::make_unique<UnixListener>(loop_, std::move(socket), std::move(accept));
}

Result<std::unique_ptr<Stream>> UnixNetwork::connect(const SocketAddress& address) {
  const Descriptor directory = open_directory(address.directory);
  if (!directory) return fail(connect_error(errno, address));
  Descriptor socket = new_socket();
  if (!socket) return fail(connect_error(errno, address));
  const sockaddr_un peer = TRY(address_in(directory, address.name));
  // A unix socket connects at once or not at all, also when it does not block.
  while (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&peer), sizeof(peer)) != 0) {
    if (errno != EINTR) return fail(connect_error(errno, address));
  }
  return std::make_unique<FdStream>(loop_, std::move(socket));
}

}  // namespace teamster::env::real
