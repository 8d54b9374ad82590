/** The surroundings of a new route: cards, entry marks, labels and the lines of other arrows. */

import { overlaps, padded, type Point, type Rect } from "../geometry";

export interface Line {
  arrow: string;
  from: Point;
  to: Point;
}

export interface Field {
  /** Cards and entry marks. */
  solids: readonly Rect[];
  labels: readonly Rect[];
  lines: readonly Line[];
}

/** Distance of a line to a card, and of parallel lines to each other. */
export const CLEARANCE = 8;
const LINE_GAP = 7;
const CROSSING_COST = 45;
const LABEL_COST = 400;
/** Per pixel of two lines on top of each other. */
const OVERLAP_COST = 6;

export const segmentRect = (a: Point, b: Point): Rect => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  w: Math.max(0.5, Math.abs(a.x - b.x)),
  h: Math.max(0.5, Math.abs(a.y - b.y)),
});

export const linesOf = (arrow: string, points: readonly Point[]): Line[] =>
  points.slice(1).map((to, index) => ({ arrow, from: points[index] as Point, to }));

/** The part of a field that touches an area. */
export function within(field: Field, area: Rect): Field {
  return {
    solids: field.solids.filter((one) => overlaps(one, area)),
    labels: field.labels.filter((one) => overlaps(one, area)),
    lines: field.lines.filter(({ from, to }) => overlaps(segmentRect(from, to), area)),
  };
}

/** The cost of a straight piece beyond its length; Infinity if a card is in its way. */
export function costOf(field: Field, a: Point, b: Point): number {
  const piece = segmentRect(a, b);
  const wide = padded(piece, CLEARANCE - 0.5);
  for (const solid of field.solids) if (overlaps(wide, solid)) return Infinity;
  let cost = 0;
  for (const label of field.labels) if (overlaps(piece, label)) cost += LABEL_COST;
  for (const line of field.lines) cost += meetingCost(line, a, b);
  return cost;
}

function meetingCost({ from, to }: Line, a: Point, b: Point): number {
  const upright = Math.abs(a.x - b.x) < 0.5;
  const otherUpright = Math.abs(from.x - to.x) < 0.5;
  if (upright === otherUpright) {
    const apart = upright ? Math.abs(a.x - from.x) : Math.abs(a.y - from.y);
    if (apart >= LINE_GAP) return 0;
    const shared = upright
      ? sharedLength(a.y, b.y, from.y, to.y)
      : sharedLength(a.x, b.x, from.x, to.x);
    return shared > 1 ? shared * OVERLAP_COST : 0;
  }
  const [tall, flat] = upright
    ? [segmentRect(a, b), segmentRect(from, to)]
    : [segmentRect(from, to), segmentRect(a, b)];
  const meets =
    tall.x >= flat.x && tall.x <= flat.x + flat.w && flat.y >= tall.y && flat.y <= tall.y + tall.h;
  return meets ? CROSSING_COST : 0;
}

const sharedLength = (a: number, b: number, c: number, d: number): number =>
  Math.min(Math.max(a, b), Math.max(c, d)) - Math.max(Math.min(a, b), Math.min(c, d));
