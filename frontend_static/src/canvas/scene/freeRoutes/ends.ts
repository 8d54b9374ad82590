/** The places at the sides of a card where a route may start or end. */

import { bottom, middle, right, type Point, type Rect } from "../geometry";
import type { Line } from "./field";

/** 0 is right, 1 down, 2 left, 3 up. */
export type Direction = 0 | 1 | 2 | 3;

export interface End {
  /** The point on the card. */
  port: Point;
  /** The point in front of the card, where a route turns first. */
  stub: Point;
  /** The direction away from the card. */
  out: Direction;
  cost: number;
}

export const STEPS: Record<Direction, Point> = {
  0: { x: 1, y: 0 },
  1: { x: 0, y: 1 },
  2: { x: -1, y: 0 },
  3: { x: 0, y: -1 },
};

const STUB_LENGTH = 14;
const SLOT_GAP = 14;
/** Distance of a slot to a corner of the card. */
const CORNER = 12;
/** Distance to the end of another line at the same card. */
const APART = 9;
/** The cost of a side on which arrows usually do not start or end. */
const UNUSUAL_SIDE = 90;
/** Arrows leave on the right or at the bottom and arrive on the left or at the top. */
const USUAL: Record<"source" | "target", readonly Direction[]> = {
  source: [0, 1],
  target: [2, 3],
};

export function endsOf(card: Rect, role: "source" | "target", lines: readonly Line[]): End[] {
  const used = lines.flatMap(({ from, to }) => [from, to]);
  return ([0, 1, 2, 3] as const).flatMap((out) => {
    const base = USUAL[role].includes(out) ? 0 : UNUSUAL_SIDE;
    const ends = slotsOf(card, out).map((port) => ({
      port,
      stub: stubOf(port, out),
      out,
      cost:
        base + Math.hypot(port.x - sideMiddle(card, out).x, port.y - sideMiddle(card, out).y) / 2,
    }));
    const free = ends.filter(({ port }) => used.every((other) => !isClose(port, other)));
    return free.length ? free : ends.map((end) => ({ ...end, cost: end.cost + UNUSUAL_SIDE }));
  });
}

export const endAt = (port: Point, out: Direction): End => ({
  port,
  stub: stubOf(port, out),
  out,
  cost: 0,
});

const isClose = (a: Point, b: Point): boolean =>
  Math.abs(a.x - b.x) < APART && Math.abs(a.y - b.y) < APART;

function stubOf(port: Point, out: Direction): Point {
  const step = STEPS[out];
  return { x: port.x + step.x * STUB_LENGTH, y: port.y + step.y * STUB_LENGTH };
}

function sideMiddle(card: Rect, side: Direction): Point {
  const center = middle(card);
  if (side === 0) return { x: right(card), y: center.y };
  if (side === 1) return { x: center.x, y: bottom(card) };
  return side === 2 ? { x: card.x, y: center.y } : { x: center.x, y: card.y };
}

function slotsOf(card: Rect, side: Direction): Point[] {
  const center = sideMiddle(card, side);
  const upright = side === 0 || side === 2;
  const reach = (upright ? card.h : card.w) / 2 - CORNER;
  const slots: Point[] = [];
  for (let off = 0; off <= reach && slots.length < 9; off += SLOT_GAP)
    for (const shift of off ? [off, -off] : [0])
      slots.push(
        upright ? { x: center.x, y: center.y + shift } : { x: center.x + shift, y: center.y },
      );
  return slots;
}
