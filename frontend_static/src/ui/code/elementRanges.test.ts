import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { elementsAt, type OffsetRange } from "./elementRanges";

const text = "stages:\n  draft:\n    setup: { task: a }\n    turns: 3\n";
const range = (element: string, part: string): OffsetRange => {
  const from = text.indexOf(part);
  return { element, from, to: from + part.length };
};
const ranges = [
  range("pack", text),
  range("state:draft", text.slice(text.indexOf("draft"), -1)),
  range("setup:draft/task", "task: a"),
];
const at = (part: string) => elementsAt(ranges, Text.of(text.split("\n")), text.indexOf(part));

test("a nested object comes with the drawn element around it", () => {
  expect(at("task")).toEqual(["setup:draft/task", "state:draft"]);
});

test("a drawn element comes alone, and so does the pack", () => {
  expect(at("turns")).toEqual(["state:draft"]);
  expect(at("stages")).toEqual(["pack"]);
});
