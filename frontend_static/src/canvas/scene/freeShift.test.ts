import { describe, expect, test } from "vitest";
import { freeShift } from "./freeShift";
import { overlaps, type Rect } from "./geometry";

const card = (x: number, y: number): Rect => ({ x, y, w: 208, h: 72 });
const among =
  (...cards: Rect[]) =>
  (area: Rect) =>
    cards.filter((one) => overlaps(area, one));

const shifted = (dropped: Rect[], obstacles: Rect[]): Rect[] => {
  const { x, y } = freeShift(dropped, among(...obstacles));
  return dropped.map((one) => ({ ...one, x: one.x + x, y: one.y + y }));
};

describe("dropped cards", () => {
  test("stay at a free place, also close to another card", () => {
    expect(freeShift([card(0, 0)], among())).toEqual({ x: 0, y: 0 });
    expect(freeShift([card(0, 0)], among(card(208, 0), card(0, 76)))).toEqual({ x: 0, y: 0 });
  });

  test("go to the nearest side of the card below", () => {
    expect(shifted([card(0, 60)], [card(0, 0)])).toEqual([card(0, 88)]);
    expect(shifted([card(0, -60)], [card(0, 0)])).toEqual([card(0, -88)]);
    expect(shifted([card(200, 0)], [card(0, 0)])).toEqual([card(224, 0)]);
    expect(shifted([card(-200, 0)], [card(0, 0)])).toEqual([card(-224, 0)]);
  });

  test("do not go from one card onto the next", () => {
    const wall = [card(0, 0), card(0, 88), card(0, 176)];
    const [placed] = shifted([card(20, 90)], wall) as [Rect];
    expect(wall.some((one) => overlaps(one, placed))).toBe(false);
    expect(Math.abs(placed.x - 20)).toBeLessThan(260);
  });

  test("keep their distances to each other", () => {
    const group = [card(0, 0), card(40, 120)];
    const obstacles = [card(30, 10), card(60, 200)];
    const [first, second] = shifted(group, obstacles) as [Rect, Rect];
    expect([second.x - first.x, second.y - first.y]).toEqual([40, 120]);
    for (const one of obstacles)
      for (const placed of [first, second]) expect(overlaps(one, placed)).toBe(false);
  });

  test("stay on the grid next to a card that is not", () => {
    const [placed] = shifted([card(0, 60)], [card(0.3, 0.7)]) as [Rect];
    expect(placed.y % 4).toBe(0);
    expect(placed.y).toBeGreaterThan(72.7);
  });

  test("find a place in a field of a thousand cards", () => {
    const field = Array.from({ length: 1_000 }, (_, n) =>
      card((n % 40) * 216, Math.floor(n / 40) * 80),
    );
    const [placed] = shifted([card(4_000, 1_000)], field) as [Rect];
    expect(field.some((one) => overlaps(one, placed))).toBe(false);
  });
});
