import { expect, test } from "vitest";
import { askingLines, toolSummary } from "./toolSummary";

const tool = (answered_by: "tool" | "command" | "person" | "missing", in_pack = true) => ({
  answered_by,
  in_pack,
});

test.each([
  [[], "The pack names no tools."],
  [[tool("person", false)], "The pack names no tools."],
  [[tool("tool")], "1 tool is bound."],
  [[tool("tool"), tool("command")], "2 tools are bound."],
  [[tool("person")], "1 tool asks a person."],
  [[tool("person"), tool("person")], "2 tools ask a person."],
  [
    [tool("tool"), tool("tool"), tool("command"), tool("person")],
    "3 tools are bound, 1 asks a person.",
  ],
  [[tool("tool"), tool("person"), tool("person")], "1 tool is bound, 2 ask a person."],
  [[tool("missing")], "1 tool is not available."],
  [
    [tool("tool"), tool("person"), tool("missing"), tool("missing")],
    "1 tool is bound, 1 asks a person, 2 are not available.",
  ],
])("%j: %s", (tools, sentence) => {
  expect(toolSummary(tools)).toBe(sentence);
});

const usual = { kind: "command", settings: {} };
const bound = (tool: string, answered_by: "tool" | "command" | "person", asks_first: boolean) => ({
  tool,
  answered_by,
  asks_first,
  in_pack: true,
  binding: null,
  usual,
});
const tools = [
  bound("look", "tool", false),
  bound("read", "tool", true),
  bound("build", "command", true),
  bound("deploy", "person", false),
  { ...bound("search", "person", false), usual: null },
  { ...bound("old", "person", false), in_pack: false },
];

test.each([
  [
    false,
    ["read is bound so", "build is a command, and", "deploy starts a process", "search has no"],
  ],
  [true, ["read is bound so", "build is bound so", "deploy starts a process", "search has no"]],
])("with commands %j, tools ask a person for a reason", (commands, expected) => {
  const lines = askingLines(tools, [], commands);
  expect(lines).toHaveLength(expected.length);
  expected.forEach((text, index) => {
    const { names, reason, allows } = lines[index]!;
    expect(`${names.join(" ")} ${reason}`).toContain(text);
    expect(allows).toBe(text.includes("bound so") ? names[0] : "");
  });
});

test("calls that the pack lets a person approve name the tool, or the states", () => {
  const approvals = [
    { tool: "send", states: [], reason: "cannot be undone" },
    { tool: "spawn_node", states: ["lead"], reason: "changes the graph" },
    { tool: "", states: ["checker", "coder"], reason: "may call tools only after approval" },
  ];
  expect(askingLines([], approvals, false)).toEqual([
    { names: ["send"], reason: "cannot be undone", allows: "send" },
    { names: ["spawn_node"], reason: "of lead changes the graph", allows: "spawn_node" },
    { names: ["checker", "coder"], reason: "may call tools only after approval", allows: "" },
  ]);
});
