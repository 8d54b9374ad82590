/**
 * The shortest shift of dropped cards after which none of them covers another card. The dropped
 * cards keep their distances to each other.
 */

import { bottom, overlaps, right, SNAP, type Point, type Rect } from "./geometry";

/** Distance to the card that is in the way. */
const GAP = 16;
/** Cards that are looked up at most, so that a drop never blocks the page. */
const MOST_LOOKUPS = 200_000;
const STEPS = { least: 40, most: 4_000 };

/** The cards in an area, without the dropped ones. */
export type Obstacles = (area: Rect) => Rect[];

const HERE: Point = { x: 0, y: 0 };

export function freeShift(dropped: readonly Rect[], obstacles: Obstacles): Point {
  const steps = Math.max(STEPS.least, Math.min(STEPS.most, MOST_LOOKUPS / dropped.length));
  const open: Point[] = [HERE];
  const visited = new Set(["0|0"]);
  for (let step = 0; step < steps && open.length; step += 1) {
    const shift = takeShortest(open);
    const clash = firstClash(dropped, shift, obstacles);
    if (!clash) return shift;
    for (const next of aroundClash(shift, clash)) {
      const key = `${next.x}|${next.y}`;
      if (!visited.has(key)) open.push(next);
      visited.add(key);
    }
  }
  return belowAll(dropped, obstacles);
}

function takeShortest(shifts: Point[]): Point {
  let best = 0;
  shifts.forEach((shift, index) => {
    if (length(shift) < length(shifts[best] as Point)) best = index;
  });
  return shifts.splice(best, 1)[0] as Point;
}

const length = ({ x, y }: Point): number => Math.hypot(x, y);

interface Clash {
  card: Rect;
  obstacle: Rect;
}

/** The first dropped card that covers another one after the shift. */
function firstClash(
  dropped: readonly Rect[],
  shift: Point,
  obstacles: Obstacles,
): Clash | undefined {
  for (const { x, y, w, h } of dropped) {
    const card = { x: x + shift.x, y: y + shift.y, w, h };
    const obstacle = obstacles(card).find((one) => overlaps(card, one));
    if (obstacle) return { card, obstacle };
  }
  return undefined;
}

/** The shifts to the four sides of the obstacle, on the grid. */
function aroundClash(shift: Point, { card, obstacle }: Clash): Point[] {
  const up = (value: number) => Math.ceil(value / SNAP) * SNAP;
  return [
    { x: shift.x + up(right(obstacle) + GAP - card.x), y: shift.y },
    { x: shift.x - up(right(card) + GAP - obstacle.x), y: shift.y },
    { x: shift.x, y: shift.y + up(bottom(obstacle) + GAP - card.y) },
    { x: shift.x, y: shift.y - up(bottom(card) + GAP - obstacle.y) },
  ];
}

function belowAll(dropped: readonly Rect[], obstacles: Obstacles): Point {
  const all = obstacles({ x: -1e9, y: -1e9, w: 2e9, h: 2e9 });
  const top = Math.min(...dropped.map((card) => card.y));
  const low = all.reduce((lowest, card) => Math.max(lowest, bottom(card)), -Infinity);
  return { x: 0, y: Math.ceil((low + GAP - top) / SNAP) * SNAP };
}
