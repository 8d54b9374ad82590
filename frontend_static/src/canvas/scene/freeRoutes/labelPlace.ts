/** The place of a label on its line, clear of cards, other labels and other lines. */

import { overlaps, padded, type Point, type Rect } from "../geometry";
import { PILL_HEIGHT } from "../cardSizes";
import { segmentRect, type Field } from "./field";

const STEP = 10;
/** Distance to cards and other labels. */
const GAP = 2;
const COST = { upright: 40, beyondLine: 1.2, onLine: 60, fromMiddle: 0.15 };

export interface LabelPlace {
  at: Point;
  /** No card and no other label is in the way. */
  free: boolean;
}

export const labelRect = (at: Point, width: number): Rect => ({
  x: at.x - width / 2,
  y: at.y - PILL_HEIGHT / 2,
  w: width,
  h: PILL_HEIGHT,
});

export function labelPlace(points: readonly Point[], width: number, field: Field): LabelPlace {
  const obstacles = [...field.solids, ...field.labels];
  let best: LabelPlace | null = null;
  let least = Infinity;
  for (const { at, cost } of places(points, width)) {
    const rect = padded(labelRect(at, width), GAP);
    const hits = obstacles.filter((one) => overlaps(rect, one)).length;
    const crossed = field.lines.filter(({ from, to }) => overlaps(rect, segmentRect(from, to)));
    const total = cost + hits * 10_000 + crossed.length * COST.onLine;
    if (total >= least) continue;
    least = total;
    best = { at, free: hits === 0 };
  }
  return best ?? { at: points[0] as Point, free: false };
}

/** Places along the line, the middle of a long horizontal piece first. */
function* places(points: readonly Point[], width: number): Generator<{ at: Point; cost: number }> {
  for (let index = 1; index < points.length; index += 1) {
    const [a, b] = [points[index - 1] as Point, points[index] as Point];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length < 1) continue;
    const upright = Math.abs(a.x - b.x) < 0.5;
    const along = upright ? PILL_HEIGHT : width;
    const short = Math.max(0, along + 16 - length) * COST.beyondLine;
    const steps = Math.max(2, Math.round(length / STEP));
    for (let step = 1; step < steps; step += 1) {
      const part = step / steps;
      const at = { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
      const off = Math.abs(part - 0.5) * length * COST.fromMiddle;
      yield { at, cost: short + off + (upright ? COST.upright : 0) };
    }
  }
}
