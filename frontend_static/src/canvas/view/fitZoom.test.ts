import { describe, expect, test } from "vitest";
import { fittedView, leastPan } from "./fitZoom";

const WINDOW = { w: 800, h: 400 };
const LIMITS = { least: 0.01, most: 1 };

describe("the view that fits a rectangle", () => {
  const rect = { x: 0, y: 0, w: 700, h: 300 };

  test("has it in the middle of the window", () => {
    const { x, y, zoom } = fittedView(rect, WINDOW, LIMITS, []);
    expect(x + (rect.w / 2) * zoom).toBeCloseTo(400);
    expect(y + (rect.h / 2) * zoom).toBeCloseTo(200);
  });

  test("has no card under the view buttons", () => {
    const low = { x: 0, y: 240, w: 180, h: 60 };
    const before = fittedView(rect, WINDOW, LIMITS, []);
    expect((low.y + low.h) * before.zoom + before.y).toBeGreaterThan(WINDOW.h - 52);
    const { y, zoom } = fittedView(rect, WINDOW, LIMITS, [low]);
    expect((low.y + low.h) * zoom + y).toBeLessThanOrEqual(WINDOW.h - 52);
  });

  test("keeps the whole window for a graph whose lower left corner is empty", () => {
    const right = { x: 500, y: 240, w: 180, h: 60 };
    const high = { x: 0, y: 0, w: 180, h: 60 };
    const whole = fittedView(rect, WINDOW, LIMITS, []);
    expect(fittedView(rect, WINDOW, LIMITS, [right, high])).toEqual(whole);
  });
});

test.each([
  ["in the window already", 100, 50, 0],
  ["beyond the start", -30, 50, 54],
  ["beyond the end", 380, 50, -54],
  ["almost as long as the window", 20, 390, -15],
  ["longer than the window", 20, 500, -20],
])("the least pan for something %s", (_name, from, length, pan) => {
  expect(leastPan(400, from, length)).toBe(pan);
});
