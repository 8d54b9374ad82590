import { describe, expect, test } from "vitest";
import { GridIndex } from "./gridIndex";
import { overlaps, type Rect } from "./geometry";

const rect = (x: number, y: number, w = 200, h = 70): Rect => ({ x, y, w, h });

function filled(count: number): { index: GridIndex; rects: Map<string, Rect> } {
  const index = new GridIndex();
  const rects = new Map<string, Rect>();
  let seed = 7;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  for (let number = 0; number < count; number += 1) {
    const long = number % 10 === 0;
    const box = rect(next(60_000) - 30_000, next(40_000) - 20_000, long ? next(20_000) : 208, 72);
    index.set(`${number}`, box);
    rects.set(`${number}`, box);
  }
  return { index, rects };
}

describe("the grid index", () => {
  const areas: [string, Rect][] = [
    ["a window", rect(0, 0, 1280, 800)],
    ["a point", rect(104, 36, 1, 1)],
    ["everything", rect(-1e7, -1e7, 2e7, 2e7)],
    ["nothing", rect(5e6, 5e6, 10, 10)],
    ["left of zero", rect(-9_000, -7_000, 3_000, 9_000)],
  ];

  test.each(areas)("finds the same items in %s as a full scan", (_name, area) => {
    const { index, rects } = filled(3_000);
    const walked = [...rects].filter(([, one]) => overlaps(one, area)).map(([id]) => id);
    expect(index.query(area).sort()).toEqual(walked.sort());
  });

  test("follows items that move, grow and are removed", () => {
    const { index } = filled(100);
    index.set("5", rect(90_000, 90_000));
    expect(index.query(rect(89_999, 89_999, 10, 10))).toEqual(["5"]);
    index.set("5", rect(90_000, 90_000, 9_000, 9_000));
    expect(index.query(rect(98_000, 98_000, 10, 10))).toEqual(["5"]);
    index.delete("5");
    expect(index.query(rect(89_000, 89_000, 20_000, 20_000))).toEqual([]);
    expect(index.size).toBe(99);
  });
});
