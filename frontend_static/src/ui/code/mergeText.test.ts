import { expect, test } from "vitest";
import { baseOf, changeOf, mergeText } from "./mergeText";

const cases: [string, string, string, string, string | null][] = [
  ["theirs before mine", "one two three", "one two 3", "1 two three", "1 two 3"],
  ["theirs after mine", "one two three", "1 two three", "one two 3", "1 two 3"],
  ["theirs longer, before mine", "a b c", "a b C", "aaaa b c", "aaaa b C"],
  ["mine deletes, theirs adds", "a b c d", "b c d", "a b c d e", "b c d e"],
  ["the same change twice", "a b", "a B", "a B", "a B"],
  ["they changed nothing", "a b", "a B", "a b", "a B"],
  ["I changed nothing, they all of it", "a b", "a b", "", ""],
  ["I changed nothing, they the end", "a b", "a b", "a X", "a X"],
  ["both in one place", "a b c", "a X c", "a Y c", null],
  ["both add at one spot", "ac", "abc", "axc", null],
];

test.each(cases)("%s", (_name, base, mine, theirs, both) => {
  expect(mergeText(base, mine, theirs)).toBe(both);
});

test.each([
  ["nothing was sent", "a b", null, "a X", "a b"],
  ["it is stored", "a b", "a B", "a B", "a B"],
  ["it is stored, with a change elsewhere", "a b", "a B", "A B", "a B"],
  ["it was refused, and something else is stored", "a b", "a B", "A b", "a b"],
  ["it was refused, and nothing else is stored", "a b", "a B", "a b", "a b"],
])("mine continues from what the pack has: %s", (_name, stored, sent, theirs, base) => {
  expect(baseOf(stored, sent, theirs)).toBe(base);
});

test("a change is the span between the common ends", () => {
  expect(changeOf("aXb", "aYYb")).toEqual({ start: 1, end: 2, insert: "YY" });
  expect(changeOf("aa", "aaa")).toEqual({ start: 2, end: 2, insert: "a" });
});
