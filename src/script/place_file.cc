#include "script/place_file.h"

#include <fmt/format.h>

#include "base/limits.h"

namespace teamster::script {

Result<std::optional<Place>> PlaceFile::load() {
  const auto text = files_.read(path_, limits::kScriptPlaceMaxBytes);
  if (!text && text.error().code == Code::not_found) return std::optional<Place>();
  if (!text) return fail(text.error());
  std::size_t used_bytes = 0;
  auto place = Place::replay(*text, used_bytes);
  if (!place && text->find('\n') == text->npos) {
    // It died in its first write.
    TRY_VOID(files_.remove_tree(path_));
    return std::optional<Place>();
  }
  if (!place) return fail(place.error().within(fmt::format("{} is damaged", path_)));
  if (used_bytes < text->size())
    TRY_VOID(files_.write_atomically(path_, std::string_view(*text).substr(0, used_bytes), 0600));
  return std::optional<Place>(*std::move(place));
}

Result<void> PlaceFile::append(const Json& record) {
  if (!has_directory_) TRY_VOID(files_.make_private_directory(directory_));
  has_directory_ = true;
  return files_.append(path_, dump_json(record) + "\n", 0600);
}

}  // namespace teamster::script
