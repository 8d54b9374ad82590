import { expect, test } from "vitest";
import { toolSummary } from "./toolSummary";

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
