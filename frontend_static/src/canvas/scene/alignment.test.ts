import { expect, test } from "vitest";
import { alignmentOf } from "./alignment";
import { arranged } from "./arrange";
import { overlaps, type Rect } from "./geometry";

const card = (x: number, y: number, w = 200, h = 64): Rect => ({ x, y, w, h });

test("an edge near another edge is shifted onto it, with a guide through both cards", () => {
  const found = alignmentOf(card(103, 300), [card(100, 0)], 6);
  expect(found.x).toBe(-3);
  expect(found.y).toBeNull();
  expect(found.guides).toContainEqual({ from: { x: 100, y: -8 }, to: { x: 100, y: 372 } });
});

test("a centre aligns with a centre, and not with an edge", () => {
  const wide = card(0, 0, 400);
  expect(alignmentOf(card(98, 300), [wide], 6)).toMatchObject({ x: 2 });
  expect(alignmentOf(card(-97, 300, 190), [wide], 6).x).toBeNull();
});

test("the nearest of several cards wins, along each axis", () => {
  const others = [card(105, 0), card(98, 120), card(600, 302)];
  expect(alignmentOf(card(100, 300), others, 6)).toMatchObject({ x: -2, y: 2 });
});

test("nothing within reach gives no shift and no guide", () => {
  expect(alignmentOf(card(50, 300), [card(100, 0)], 6)).toEqual({ x: null, y: null, guides: [] });
});

const THREE = new Map([
  ["a", card(0, 0)],
  ["b", card(300, 40, 180)],
  ["c", card(900, 100)],
]);
const xs = (how: Parameters<typeof arranged>[1]) =>
  [...arranged(THREE, how).values()].map((point) => point.x);

test("states are aligned by an edge or their middle", () => {
  expect(xs("left")).toEqual([0, 0, 0]);
  expect(xs("right")).toEqual([900, 920, 900]);
  expect(xs("center")).toEqual([450, 460, 450]);
  expect([...arranged(THREE, "middle").values()].map((point) => point.y)).toEqual([50, 50, 50]);
});

test("states are distributed with equal gaps between the outer ones", () => {
  expect(xs("horizontally")).toEqual([0, 460, 900]);
});

test("aligned states never cover each other", () => {
  const places = arranged(THREE, "left");
  const rects = [...THREE].map(([id, rect]) => ({ ...rect, ...places.get(id) }));
  for (const one of rects)
    for (const other of rects) expect(one !== other && overlaps(one, other)).toBe(false);
});
