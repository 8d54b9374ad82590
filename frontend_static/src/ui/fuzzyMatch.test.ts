import { expect, test } from "vitest";
import { fuzzyMatch } from "./fuzzyMatch";

const entries = ["Show the findings", "Undo", "find_bug", "Run…", "Next finding"].map((title) => ({
  title,
}));
const titles = (query: string) => fuzzyMatch(entries, query).map((one) => one.title);

test("an empty query keeps all entries in order", () => {
  expect(titles("  ")).toEqual(entries.map((one) => one.title));
});

test("a prefix ranks above the start of a word, and shorter titles come first", () => {
  expect(titles("find")).toEqual(["find_bug", "Next finding", "Show the findings"]);
});

test("scattered letters match in their order", () => {
  expect(titles("uo")).toEqual(["Undo"]);
  expect(titles("ou")).toEqual([]);
});
