import { expect, test } from "vitest";
import { mixed } from "../far/colours";
import { fileName } from "./fileName";
import { fitEnd, fitMiddle, textWidth } from "./fitText";
import { rasterSize } from "./rasterSize";

test("a file is named after its pack and level", () => {
  expect(fileName("Mail triage", "", "svg")).toBe("Mail triage.svg");
  expect(fileName("Mail triage", "composition:x", "png")).toBe("Mail triage composition-x.png");
});

test("a file name has no character that a system refuses", () => {
  expect(fileName('../a/b:c*"d"\u0007', "", "svg")).toBe("a-b-c-d.svg");
  expect(fileName("///", "", "svg")).toBe("drawing.svg");
  expect(fileName("x".repeat(300), "", "svg").length).toBeLessThan(110);
});

test("a PNG has twice the size of the drawing", () => {
  expect(rasterSize(600, 400)).toEqual({ width: 1200, height: 800, scale: 2, reduced: false });
});

test("a PNG of a large drawing keeps its proportions within the limit of pixels", () => {
  const size = rasterSize(30_000, 20_000);
  expect(size.reduced).toBe(true);
  expect(size.width * size.height).toBeLessThanOrEqual(50_000_000);
  expect(size.width / size.height).toBeCloseTo(1.5, 2);
  expect(rasterSize(400_000, 100).width).toBeLessThanOrEqual(16_384);
});

test("a long id keeps its start and its end, a long name its start", () => {
  const id = "a-very-long-name-of-a-state-with-an-end";
  const short = fitMiddle(id, 160, 12.5);
  expect(short).toMatch(/^a-very.*….*an-end$/);
  expect(textWidth(short, 12.5)).toBeLessThanOrEqual(160);
  expect(fitEnd(id, 160, 12)).toMatch(/^a-very-long.*…$/);
  expect(fitEnd("short", 160, 12)).toBe("short");
  expect(fitEnd("漢".repeat(40), 160, 12)).toHaveLength(13);
});

test("colours are mixed in both notations of the style sheet", () => {
  expect(mixed("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(mixed("#000", "#fff", 0.5)).toBe("#808080");
  expect(mixed("red", "#fff", 0.5)).toBe("red");
});
