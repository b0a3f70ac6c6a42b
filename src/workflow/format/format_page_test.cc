// docs/formats/workflow.md: every workflow that it shows is a good one, with the files that it shows, and it names
// every key that there is.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "schema/schema.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"
#include "yaml/document.h"

namespace teamster::workflow {
namespace {

std::string page() { return file_contents(source_directory() / "docs/formats/workflow.md"); }

struct Shown {
  std::string before;  // the line before it
  std::string kind;
  std::string text;
};

// What stands between fences.
std::vector<Shown> shown_in(const std::string& text) {
  std::vector<Shown> all;
  std::istringstream lines(text);
  std::string before;
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```") && !is_inside) all.push_back({before, line.substr(3), ""});
    if (line.starts_with("```"))
      is_inside = !is_inside;
    else if (is_inside)
      all.back().text += line + "\n";
    before = line;
  }
  EXPECT_FALSE(is_inside);
  return all;
}

// `write.md`: names the file that follows.
Bundle shown_files(const std::vector<Shown>& all) {
  Bundle files;
  for (const auto& shown : all) {
    if (!shown.before.starts_with('`') || !shown.before.ends_with("`:")) continue;
    EXPECT_TRUE(files.emplace(shown.before.substr(1, shown.before.size() - 3), shown.text).second) << shown.before;
  }
  return files;
}

bool is_workflow(const Shown& shown) {
  return shown.kind == "yaml" && shown.text.starts_with("name: ") && shown.text.find("\nphases:") != std::string::npos;
}

TEST(FormatPage, ShowsGoodWorkflows) {
  const auto schema =
      schema::Schema::compile(*parse_json(file_contents(source_directory() / "workflows/workflow.schema.json")));
  ASSERT_TRUE(schema);
  const auto all = shown_in(page());
  Bundle bundle = shown_files(all);
  int count = 0;
  for (const auto& shown : all) {
    if (!is_workflow(shown)) continue;
    ++count;
    bundle[kWorkflowFile] = shown.text;
    const auto loaded = load_workflow(bundle);
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.text() << " in\n" << shown.text;
    Problems problems;
    const auto document = parse_document(kWorkflowFile, shown.text, problems);
    ASSERT_TRUE(document);
    EXPECT_EQ(join(schema->check(to_json(document->root)), "\n"), "") << shown.text;
  }
  EXPECT_GE(count, 8);
}

// The keys of all maps that have no others.
void collect_keys(const Json& schema, std::set<std::string>& keys) {
  for (const auto& [name, inner] : schema.items()) {
    const bool is_closed = schema.is_object() && schema.contains("additionalProperties") &&
                           schema["additionalProperties"] == false && name == "properties";
    if (is_closed)
      for (const auto& [key, value] : inner.items()) keys.insert(key);
    if (inner.is_structured()) collect_keys(inner, keys);
  }
}

TEST(FormatPage, NamesEveryKeyInItsTables) {
  const std::string text = page();
  const std::string tables = text.substr(std::min(text.find("## Every key"), text.size()));
  std::set<std::string> keys;
  collect_keys(*parse_json(file_contents(source_directory() / "workflows/workflow.schema.json")), keys);
  EXPECT_GT(keys.size(), 80U);
  for (const auto& key : keys)
    EXPECT_TRUE(tables.find("`" + key) != std::string::npos || text.find("`" + key + "`") != std::string::npos ||
                text.find("`{ " + key + ": ") != std::string::npos)
        << key;
}

}  // namespace
}  // namespace teamster::workflow
