#include "workflow/format/graph.h"

#include <gtest/gtest.h>

#include "workflow/format/load.h"

namespace teamster::workflow {
namespace {

Workflow example() {
  const Bundle bundle{{"workflow.yaml", R"(name: example
roles:
  writer: {}
loops:
  again: { max: 3, then: escalate }
always:
  - { when: { passed: false }, block: 'stopped' }
phases:
  - { id: write, title: 'Write "it"', role: writer, template: t.md, returns: s.json }
  - id: approve
    kind: gate
    only: { write/passed: true }
    question: { text: Is it good }
    on: [ { when: { approved: false }, goto: write, loop: again } ]
  - { id: record, kind: commit, paths: ['.'], message: done }
)"},
                      {"t.md", "Write.\n"},
                      {"s.json", R"({"type":"object","properties":{"passed":{"type":"boolean"}}})"}};
  auto loaded = load_workflow(bundle);
  for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.text();
  return loaded.workflow.value_or(Workflow{});
}

TEST(Graph, DrawsForMermaid) {
  EXPECT_EQ(mermaid_graph(example()), R"(flowchart TD
  any(["any phase"])
  blocked(["blocked"])
  done(["done"])
  start(["start"])
  p1["1 Write #quot;it#quot;<br/>writer"]
  p2{"2 approve<br/>gate<br/>only if write/passed = true"}
  p3("3 record<br/>commit")
  start --> p1
  p1 --> p2
  p2 -->|"approved = false; again: at most 3, then escalate"| p1
  p2 -->|"else"| p3
  p2 -.->|"skipped"| p3
  p3 --> done
  any -->|"passed = false"| blocked
)");
}

TEST(Graph, DrawsForGraphviz) {
  const std::string drawing = dot_graph(example());
  EXPECT_TRUE(drawing.starts_with("digraph \"example\" {\n"));
  EXPECT_NE(drawing.find("  p1 [shape=box, label=\"1 Write \\\"it\\\"\\nwriter\"];\n"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("  p2 [shape=diamond, "), std::string::npos);
  EXPECT_NE(drawing.find("  p2 -> p3 [label=\"skipped\", style=dotted];\n"), std::string::npos);
  EXPECT_TRUE(drawing.ends_with("}\n"));
}

TEST(Graph, DrawsWhereEntriesBeginAndEnd) {
  Workflow workflow = example();
  workflow.entries = {{.name = "whole"}, {.name = "draft", .to = "write"}, {.name = "approve", .from = "approve"}};
  const std::string drawing = mermaid_graph(workflow);
  for (const char* line : {"start -->|\"whole\"| p1\n", "start -->|\"draft\"| p1\n", "p1 -.->|\"draft ends\"| done\n",
                           "start -->|\"approve\"| p2\n"})
    EXPECT_NE(drawing.find(line), std::string::npos) << line << drawing;
  EXPECT_EQ(drawing.find("whole ends"), std::string::npos);
}

TEST(Graph, DrawsNothingOfNothing) { EXPECT_EQ(mermaid_graph(Workflow{}), "flowchart TD\n"); }

}  // namespace
}  // namespace teamster::workflow
