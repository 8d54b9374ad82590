import { expect, test } from "vitest";
import type { PullConflict } from "../../session";
import { groupConflicts, titleOf } from "./conflictGroups";

const conflict = (id: string, element: string): PullConflict => ({
  id,
  element,
  path: "a.json",
  line: 1,
  value: "",
  whole_file: false,
  can_take_both: true,
  base: "",
  mine: "m",
  theirs: "t",
});

test("conflicts of one state are one group, and states come first", () => {
  const groups = groupConflicts([
    conflict("a:0", ""),
    conflict("a:1", "pack"),
    conflict("a:2", "state:B"),
    conflict("a:3", "transition:A|Go|B"),
    conflict("a:4", "state:A"),
    conflict("b:0", "state:B"),
  ]);
  expect(groups.map((one) => [one.element, one.conflicts.map((each) => each.id)])).toEqual([
    ["state:B", ["a:2", "b:0"]],
    ["state:A", ["a:4"]],
    ["transition:A|Go|B", ["a:3"]],
    ["pack", ["a:1"]],
    ["", ["a:0"]],
  ]);
});

test("a title names the element", () => {
  expect(titleOf("state:ask human")).toBe("State ask human");
  expect(titleOf("transition:A|Go|more|B")).toBe("Transition A → B");
  expect(titleOf("prompt:main")).toBe("Prompt main");
  expect(titleOf("workflow")).toBe("Workflow");
  expect(titleOf("pack")).toBe("The whole pack");
  expect(titleOf("")).toBe("Other places");
});
