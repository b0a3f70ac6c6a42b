#include "agent/environment.h"

#include <array>
#include <map>

#include <fmt/format.h>

namespace teamster::agent {
namespace {

// What programs need to find their way; nothing here is a secret.
constexpr std::array kPassedOn = {"PATH",
                                  "HOME",
                                  "USER",
                                  "LOGNAME",
                                  "SHELL",
                                  "LANG",
                                  "LC_ALL",
                                  "LC_CTYPE",
                                  "TZ",
                                  "TERM",
                                  "HTTP_PROXY",
                                  "HTTPS_PROXY",
                                  "NO_PROXY",
                                  "http_proxy",
                                  "https_proxy",
                                  "no_proxy",
                                  "SSL_CERT_FILE",
                                  "SSL_CERT_DIR",
                                  "NODE_EXTRA_CA_CERTS",
                                  "IS_SANDBOX"};

void put(std::map<std::string, std::string>& variables, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  variables[assignment.substr(0, equals)] = assignment.substr(equals + 1);
}

}  // namespace

Result<std::vector<std::string>> make_environment(const Driver& driver, const EnvironmentOptions& options,
                                                  const Lookup& lookup, const std::string& login_key) {
  std::map<std::string, std::string> variables;
  const auto pass_on = [&](const std::string& name) {
    const auto value = lookup(name.c_str());
    if (value) variables[name] = *value;
    return value.has_value();
  };
  for (const auto& assignment : driver.fixed_variables()) put(variables, assignment);
  for (const char* name : kPassedOn) pass_on(name);
  if (!variables.contains("PATH")) variables["PATH"] = "/usr/local/bin:/usr/bin:/bin";
  const auto login = driver.login_variables();
  if (options.login != Login::inherit)
    for (const auto& assignment : driver.private_variables(options.private_directory)) put(variables, assignment);
  for (const auto& name : login) pass_on(name);
  if (options.login == Login::file && !login.empty()) variables[login.front()] = login_key;
  for (const auto& name : options.secrets)
    if (!pass_on(name))
      return fail(Code::invalid, fmt::format("the secret {} is not set", name),
                  fmt::format("Set it in the environment, or leave --secret {} away", name));
  variables["TMPDIR"] = options.temporary_directory;
  variables["XDG_RUNTIME_DIR"] = options.temporary_directory;
  variables["TEAMSTER_HOME"] = options.home;
  std::vector<std::string> out;
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

}  // namespace teamster::agent
