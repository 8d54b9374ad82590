/** Positions of states that are aligned or distributed. */

import { bottom, middle, right, union, type Point, type Rect } from "./geometry";

export type Alignment = "left" | "center" | "right" | "top" | "middle" | "bottom";
export type Distribution = "horizontally" | "vertically";

/** Distance to a card that would be covered otherwise, with room for the label of an arrow. */
const GAP = { x: 88, y: 40 };

/** New top left corners of these cards. Their frame stays the same along the aligned axis. */
export function arranged(
  cards: ReadonlyMap<string, Rect>,
  how: Alignment | Distribution,
): Map<string, Point> {
  const frame = union(cards.values());
  if (!frame) return new Map();
  if (how === "horizontally") return distributed(cards, "x", "w");
  if (how === "vertically") return distributed(cards, "y", "h");
  const moved = [...cards].map(([id, rect]) => ({ id, ...aligned(rect, frame, how) }));
  const free = how === "left" || how === "center" || how === "right" ? "y" : "x";
  return pushedApart(moved, free, free === "y" ? "h" : "w", cards.keys());
}

function aligned(rect: Rect, frame: Rect, how: Alignment): Rect {
  switch (how) {
    case "left":
      return { ...rect, x: frame.x };
    case "center":
      return { ...rect, x: middle(frame).x - rect.w / 2 };
    case "right":
      return { ...rect, x: right(frame) - rect.w };
    case "top":
      return { ...rect, y: frame.y };
    case "middle":
      return { ...rect, y: middle(frame).y - rect.h / 2 };
    case "bottom":
      return { ...rect, y: bottom(frame) - rect.h };
  }
}

type Named = Rect & { id: string };

/** In their order along the free axis, no card covers the one before it. */
function pushedApart(
  cards: readonly Named[],
  start: "x" | "y",
  size: "w" | "h",
  order: Iterable<string>,
): Map<string, Point> {
  const places = new Map<string, Point>();
  let least = -Infinity;
  for (const card of [...cards].sort((a, b) => a[start] - b[start])) {
    const at = card[start] < least ? least + GAP[start] : card[start];
    places.set(card.id, { x: card.x, y: card.y, [start]: at });
    least = at + card[size];
  }
  return new Map([...order].map((id) => [id, places.get(id) as Point]));
}

/** The outer cards stay, and the gaps between all become equal. */
function distributed(
  cards: ReadonlyMap<string, Rect>,
  start: "x" | "y",
  size: "w" | "h",
): Map<string, Point> {
  const sorted = [...cards].sort(([, a], [, b]) => a[start] - b[start]);
  const frame = union(cards.values()) as Rect;
  const used = sorted.reduce((sum, [, rect]) => sum + rect[size], 0);
  const gap = Math.max(GAP[start], (frame[size] - used) / (sorted.length - 1));
  const places = new Map<string, Point>();
  let at = frame[start];
  for (const [id, rect] of sorted) {
    places.set(id, { x: rect.x, y: rect.y, [start]: Math.round(at) });
    at += rect[size] + gap;
  }
  return new Map([...cards.keys()].map((id) => [id, places.get(id) as Point]));
}
