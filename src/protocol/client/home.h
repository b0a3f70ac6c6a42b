// Home: where one installation keeps its state, and the names of what lies there.
// A value; touches nothing. See docs/formats/home.md.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/network.h"

namespace teamster::hub {

class Home {
 public:
  // $TEAMSTER_HOME, else $XDG_STATE_HOME/teamster, else ~/.local/state/teamster.
  // `variable` looks one up in the environment. A relative path is refused.
  static Result<Home> locate(const std::function<std::optional<std::string>(const char* name)>& variable);
  explicit Home(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string cookie_file() const { return path_ + "/cookie"; }
  std::string store_file() const { return path_ + "/store.db"; }
  std::string lock_file() const { return path_ + "/hub.lock"; }
  std::string log_file() const { return path_ + "/hub.log"; }
  env::SocketAddress socket() const { return {path_, "hub.sock"}; }
  // By what names the team among those of all projects: base/team_ref.h.
  std::string team_directory(const std::string& team) const { return path_ + "/teams/" + team; }
  // Private to the member: what only it may read.
  std::string member_directory(const std::string& team, const std::string& member) const {
    return team_directory(team) + "/" + member;
  }
  std::string token_file(const std::string& team, const std::string& member) const {
    return member_directory(team, member) + "/token";
  }

 private:
  std::string path_;
};

}  // namespace teamster::hub
