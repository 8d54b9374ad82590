/**
 * The route type of an arrow, before its exact ends are known: straight ahead, below, a loop, or
 * along a free lane. Arrows leave at the right or bottom and enter at the left or top; back arrows
 * run around the states.
 */

import type { Card } from "./card";
import type { GridIndex } from "./gridIndex";
import { freeLane } from "./lanes";
import { bezier } from "./arrowPath";
import { bottom, contains, middle, padded, right, type Point, type Rect } from "./geometry";

export type RoutePlan =
  | { way: "loop" }
  | { way: "ahead" }
  | { way: "below" }
  /** `exit` and `enter` name the sides; the lane lies at `y`. */
  | { way: "lane"; exit: "right" | "bottom"; enter: "left" | "top"; y: number };

const GAP = 20;
const MIN_GAP_AHEAD = 16;
const MIN_GAP_BELOW = 20;
/**
 * Longer arrows are not checked for obstacles, because the check would cost more than it improves.
 */
const MAX_CHECKED_LENGTH = 4_000;

/** `shift`: the distance of its lane to the first one, if it takes a lane. */
export function planRoute(
  cards: GridIndex,
  source: Card,
  target: Card,
  shift: () => number,
): RoutePlan {
  if (source.id === target.id) return { way: "loop" };
  if (target.x >= right(source) + MIN_GAP_AHEAD) return planAhead(cards, source, target, shift);
  const apart = Math.abs(middle(source).x - middle(target).x);
  if (target.y >= bottom(source) + MIN_GAP_BELOW && apart < (source.w + target.w) / 2.6)
    return { way: "below" };
  return planBack(cards, source, target, shift());
}

function planAhead(cards: GridIndex, source: Card, target: Card, shift: () => number): RoutePlan {
  const [from, to] = [right(source), target.x];
  if (to - from > MAX_CHECKED_LENGTH || !isBlocked(source, target, cards)) return { way: "ahead" };
  const wanted = (middle(source).y + middle(target).y) / 2;
  const span = [from + GAP, to - GAP] as const;
  const up = freeLane(cards, span, wanted, -1, shift());
  const down = freeLane(cards, span, wanted, 1, shift());
  const y = Math.abs(up - wanted) < Math.abs(down - wanted) ? up : down;
  return { way: "lane", exit: "right", enter: "left", y };
}

/** Control points of an arrow straight ahead. */
export function aheadCurve(start: Point, tip: Point): readonly [Point, Point] {
  const reach = Math.max(28, Math.min(160, (tip.x - start.x) / 2));
  return [
    { x: start.x + reach, y: start.y },
    { x: tip.x - reach, y: tip.y },
  ];
}

function isBlocked(source: Card, target: Card, cards: GridIndex): boolean {
  const start = { x: right(source), y: middle(source).y };
  const tip = { x: target.x, y: middle(target).y };
  const [one, two] = aheadCurve(start, tip);
  const y = Math.min(start.y, tip.y);
  const area = { x: start.x, y: y - 2, w: tip.x - start.x, h: Math.abs(start.y - tip.y) + 4 };
  const between = cards
    .query(area)
    .filter((id) => id !== source.id && id !== target.id)
    .map((id) => padded(cards.rect(id) as Rect, 4));
  if (!between.length) return false;
  for (let step = 1; step < 24; step += 1) {
    const point = bezier(start, one, two, tip, step / 24);
    if (between.some((rect) => contains(rect, point.x, point.y))) return true;
  }
  return false;
}

/**
 * Plan a back arrow: below both states, above both, or through the gap between them. The shortest
 * one wins.
 */
function planBack(cards: GridIndex, source: Card, target: Card, shift: number): RoutePlan {
  const [from, to] = [middle(source), middle(target)];
  const span = { left: target.x - GAP, right: Math.max(right(source), target.x) + GAP };
  const low = Math.max(bottom(source), bottom(target)) + GAP;
  const high = Math.min(source.y, target.y) - GAP;
  const isLong = span.right - span.left > MAX_CHECKED_LENGTH;
  const lane = (a: number, b: number, wanted: number, direction: 1 | -1) =>
    isLong ? wanted : freeLane(cards, [a, b], wanted, direction, shift);
  const under = lane(span.left, from.x, low, 1);
  const over = lane(to.x, span.right, high, -1);
  const candidates: { plan: RoutePlan & { way: "lane" }; cost: number }[] = [
    {
      plan: { way: "lane", exit: "bottom", enter: "left", y: under },
      cost: under - bottom(source) + (under - to.y) + (from.x - span.left) + GAP,
    },
    {
      plan: { way: "lane", exit: "right", enter: "top", y: over },
      cost: from.y - over + (target.y - over) + (span.right - to.x) + GAP + 8,
    },
  ];
  const gap = [bottom(target) + 14, source.y - 14] as const;
  if (gap[1] - gap[0] >= 0) {
    const y = (gap[0] + gap[1]) / 2;
    const length = span.right - span.left;
    const strip = { x: span.left, y: y - 6, w: length, h: 12 };
    if (isLong || !cards.query(strip).length)
      candidates.push({
        plan: { way: "lane", exit: "right", enter: "left", y },
        cost: Math.abs(from.y - y) + Math.abs(to.y - y) + length,
      });
  }
  return candidates.reduce((a, b) => (b.cost < a.cost ? b : a)).plan;
}
