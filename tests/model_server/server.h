// Server: listens on a port of the loopback address and gives each connection a thread of its
// own. The object that makes it owns it; its destructor ends all threads, also those that stall
// on purpose.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "base/result.h"
#include "model_server/exchange.h"
#include "model_server/http.h"

namespace teamster::model {

class Server {
 public:
  // False: close the connection.
  using Handler = std::function<bool(const HttpRequest&, Exchange&)>;

  // Port 0 takes a free one.
  static Result<int> listen(std::uint16_t port);
  // Takes over a descriptor from listen().
  Server(int listener, Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

 private:
  struct Connection {
    std::thread thread;
    bool is_done = false;
  };

  void accept_all();
  void serve(int socket, Connection& connection);
  void join_done();

  int listener_;
  int stopping_;  // an eventfd that is never read: once written it wakes every wait
  Handler handler_;
  std::mutex mutex_;  // of connections_
  std::list<Connection> connections_;
  std::thread acceptor_;
};

}  // namespace teamster::model
