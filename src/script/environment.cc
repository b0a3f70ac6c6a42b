#include "script/environment.h"

namespace teamster::script {

std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::map<std::string, std::string>& changes) {
  std::erase_if(environment,
                [&](const std::string& entry) { return changes.contains(entry.substr(0, entry.find('='))); });
  for (const auto& [name, value] : changes) environment.push_back(name + "=" + value);
  return environment;
}

}  // namespace teamster::script
