import { expect, test } from "vitest";
import { overlaps, type Rect } from "../../scene/geometry";
import { placeBetween } from "./placeBetween";

const SIZE = { w: 208, h: 72 };
const card = (x: number, y: number): Rect => ({ x, y, ...SIZE });

test.each([
  ["below", { a: card(0, 0), b: card(0, 130), c: card(0, 260), d: card(400, 0) }, ["b", "c"]],
  ["right", { a: card(0, 0), b: card(300, 0), c: card(600, 40), d: card(0, 200) }, ["b", "c"]],
  ["with room", { a: card(0, 0), b: card(0, 600) }, []],
])("%s: the card is between both, and only the cards beyond move", (_name, places, moved) => {
  const cards = new Map(Object.entries(places));
  const place = placeBetween(cards, "a", "b", SIZE);
  expect([...(place?.pushed.keys() ?? [])]).toEqual(moved);
  const after = [...cards].map(([id, rect]) => ({ ...rect, ...place?.pushed.get(id) }));
  for (const rect of after) expect(overlaps(rect, { ...SIZE, ...place!.at })).toBe(false);
});

test.each([
  ["an arrow that leads back", { a: card(0, 300), b: card(0, 0) }],
  ["another card in the way", { a: card(0, 0), b: card(0, 600), c: card(0, 120) }],
])("%s: nothing moves", (_name, places) => {
  expect(placeBetween(new Map(Object.entries(places)), "a", "b", SIZE)).toBeNull();
});
