import { expect, test } from "vitest";
import { fuzzyMatch } from "./fuzzyMatch";

const entries = ["Show the findings", "Undo", "find_bug", "Run…", "Next finding"].map((title) => ({
  title,
}));
const titles = (query: string) => fuzzyMatch(entries, query).map((one) => one.title);

test("no letters show everything as it stands", () => {
  expect(titles("  ")).toEqual(entries.map((one) => one.title));
});

test("a beginning comes before the start of a word, the shorter title first", () => {
  expect(titles("find")).toEqual(["find_bug", "Next finding", "Show the findings"]);
});

test("scattered letters find too, in their order only", () => {
  expect(titles("uo")).toEqual(["Undo"]);
  expect(titles("ou")).toEqual([]);
});
