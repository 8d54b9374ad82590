import { describe, expect, it } from "vitest";
import { diffTexts, hunksOf, type Line } from "./diffText";

const SIGN = { same: " ", added: "+", removed: "-" };
const shown = (lines: readonly Line[]) =>
  lines.map(
    (line) =>
      SIGN[line.how] +
      line.pieces.map((piece) => (piece.how === "same" ? piece.text : `[${piece.text}]`)).join(""),
  );

describe("the difference of two texts", () => {
  it("is empty for equal texts", () => {
    const diff = diffTexts("a\nb", "a\nb");
    expect(diff).toMatchObject({ added: 0, removed: 0 });
    expect(shown(diff.lines)).toEqual([" a", " b"]);
  });

  it("has changed lines", () => {
    const diff = diffTexts("a\nb\nc", "a\nc\nd");
    expect(shown(diff.lines)).toEqual([" a", "-b", " c", "+d"]);
    expect(diff).toMatchObject({ added: 1, removed: 1 });
  });

  it("has the changed words of a line", () => {
    const diff = diffTexts("Keep it short.\nEnd", "Keep it very short.\nEnd");
    expect(shown(diff.lines)).toEqual(["-Keep it short.", "+Keep it [very ]short.", " End"]);
  });

  it("pairs changed lines one by one and keeps the rest whole", () => {
    const diff = diffTexts("The task: one\nRound 1", "The task: two\nRound 2\nMore");
    expect(shown(diff.lines)).toEqual([
      "-The task: [one]",
      "-Round [1]",
      "+The task: [two]",
      "+Round [2]",
      "+More",
    ]);
  });

  it("has one removed and one added line if nothing is equal", () => {
    expect(shown(diffTexts("one", "two").lines)).toEqual(["-one", "+two"]);
  });

  it("handles empty texts", () => {
    expect(shown(diffTexts("", "new\n\nlines").lines)).toEqual(["+new", "+", "+lines"]);
    expect(shown(diffTexts("old", "").lines)).toEqual(["-old"]);
  });
});

describe("folded lines", () => {
  const text = (count: number) => Array.from({ length: count }, (_one, index) => `line ${index}`);

  it("are equal lines far from a change", () => {
    const before = text(20);
    const after = before.with(10, "other");
    const hunks = hunksOf(diffTexts(before.join("\n"), after.join("\n")));
    expect(hunks.map((hunk) => [hunk.folded, hunk.lines.length])).toEqual([
      [true, 7],
      [false, 8],
      [true, 6],
    ]);
  });

  it("are never a single line", () => {
    const before = text(5);
    const hunks = hunksOf(diffTexts(before.join("\n"), before.with(4, "other").join("\n")));
    expect(hunks.some((hunk) => hunk.folded)).toBe(false);
  });

  it("are all lines if nothing changed", () => {
    expect(hunksOf(diffTexts("a\nb\nc", "a\nb\nc"))).toHaveLength(1);
  });
});

it("large texts with little in common are compared", () => {
  const big = (seed: number) =>
    Array.from(
      { length: 6000 },
      (_one, index) => `${seed} ${(index * 7919 * seed) % 1009} of the text`,
    ).join("\n");
  const diff = diffTexts(big(3), big(5));
  expect(diff.lines.filter((line) => line.how !== "added")).toHaveLength(6000);
  expect(diff.lines.filter((line) => line.how !== "removed")).toHaveLength(6000);
});
