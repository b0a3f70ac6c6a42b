// Every file of tests/verify/manifests: forms of a manifest, good and bad. What must be read from each, or said about
// it, lies beside it as NAME.expected: a line for each criterion, amendment and error.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "verify/manifest.h"

namespace teamster::verify {
namespace {

namespace fs = std::filesystem;

fs::path corpus_directory() { return fs::path(TEAMSTER_SOURCE_DIR) / "tests/verify/manifests"; }

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string how_text(const Criterion& criterion) {
  switch (criterion.method) {
    case Method::bash:
      return quoted(criterion.command, 400);
    case Method::subagent:
      return fmt::format("{} {} {}", criterion.agent, quoted(criterion.model, 60), quoted(criterion.prompt, 400));
    case Method::covered:
      return join(criterion.covered_by, " ");
  }
  return {};
}

// What the files with the ending .expected hold.
std::string summary_of(const ParsedManifest& parsed) {
  std::string text;
  const Manifest& manifest = parsed.manifest;
  for (const auto& name : manifest.supersedes) text += fmt::format("supersedes {}\n", name);
  for (const auto& criterion : manifest.criteria)
    text += fmt::format("{}: {} {} {} {}{}\n", criterion.line, criterion.id, quoted(criterion.text, 200),
                        to_string(criterion.method), how_text(criterion),
                        criterion.amendment.empty() ? "" : fmt::format(" by {}", quoted(criterion.amendment, 100)));
  for (const auto& amendment : manifest.amendments)
    text += fmt::format("{}: amendment {}{} adds [{}] changes [{}]\n", amendment.line, quoted(amendment.title, 100),
                        amendment.is_historical ? " historical" : "", join(amendment.added, " "),
                        join(amendment.changed, " "));
  for (const auto& error : parsed.errors) text += fmt::format("{}: error: {}\n", error.line, error.what);
  return text;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(corpus_directory() / directory))
    if (entry.path().extension() == ".md") names.push_back(directory + "/" + entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> all_names() {
  auto names = names_in("good");
  for (auto& name : names_in("bad")) names.push_back(std::move(name));
  return names;
}

class ManifestCorpus : public testing::TestWithParam<std::string> {};

TEST_P(ManifestCorpus, IsReadAsExpected) {
  const std::string text = contents_of(corpus_directory() / (GetParam() + ".md"));
  const ParsedManifest parsed = parse_manifest(text);
  EXPECT_EQ(summary_of(parsed), contents_of(corpus_directory() / (GetParam() + ".expected")));
  EXPECT_EQ(parsed.is_valid(), GetParam().starts_with("good/"));
  for (const auto& error : parsed.errors) {
    EXPECT_GE(error.line, 1U);
    EXPECT_FALSE(find_invalid_utf8(error.what)) << error.what;
  }
}

// A file that was saved on another system is the same manifest.
TEST_P(ManifestCorpus, LineEndsDoNotMatter) {
  const std::string text = contents_of(corpus_directory() / (GetParam() + ".md"));
  if (text.find('\r') != text.npos) return;
  std::string windows;
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(summary_of(parse_manifest(windows)), summary_of(parse_manifest(text)));
}

INSTANTIATE_TEST_SUITE_P(All, ManifestCorpus, testing::ValuesIn(all_names()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, '/', '_');
  return name;
});

TEST(ManifestCorpora, AreMany) {
  EXPECT_GE(names_in("good").size(), 40U);
  EXPECT_GE(names_in("bad").size(), 60U);
}

}  // namespace
}  // namespace teamster::verify
