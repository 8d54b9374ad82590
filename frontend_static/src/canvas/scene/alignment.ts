/**
 * Alignment of a dragged rectangle with cards near it: edges and centres at the same height or in
 * the same column.
 */

import { bottom, middle, right, type Point, type Rect } from "./geometry";

/** A line through everything that is aligned, in scene units. */
export interface Guide {
  from: Point;
  to: Point;
}

export interface Alignment {
  /** The shift that aligns the rectangle; null along an axis on which nothing is near. */
  x: number | null;
  y: number | null;
  guides: Guide[];
}

/** The lines beyond the cards at their ends. */
const OVERHANG = 8;

interface Axis {
  lines(rect: Rect): [number, number, number];
  /** Start and end of a rectangle along its guides. */
  span(rect: Rect): [number, number];
  guide(at: number, from: number, to: number): Guide;
}

const COLUMNS: Axis = {
  lines: (rect) => [rect.x, middle(rect).x, right(rect)],
  span: (rect) => [rect.y, bottom(rect)],
  guide: (x, from, to) => ({ from: { x, y: from }, to: { x, y: to } }),
};

const ROWS: Axis = {
  lines: (rect) => [rect.y, middle(rect).y, bottom(rect)],
  span: (rect) => [rect.x, right(rect)],
  guide: (y, from, to) => ({ from: { x: from, y }, to: { x: to, y } }),
};

/** The nearest alignment within `reach`, and its guides. */
export function alignmentOf(dragged: Rect, others: readonly Rect[], reach: number): Alignment {
  const x = nearestShift(COLUMNS, dragged, others, reach);
  const y = nearestShift(ROWS, dragged, others, reach);
  const moved = { ...dragged, x: dragged.x + (x ?? 0), y: dragged.y + (y ?? 0) };
  const guides = [
    ...(x === null ? [] : guidesOn(COLUMNS, moved, others)),
    ...(y === null ? [] : guidesOn(ROWS, moved, others)),
  ];
  return { x, y, guides };
}

/** An edge aligns with any edge, a centre with a centre. */
const fits = (own: number, other: number): boolean => (own === 1) === (other === 1);

function nearestShift(
  axis: Axis,
  dragged: Rect,
  others: readonly Rect[],
  reach: number,
): number | null {
  const own = axis.lines(dragged);
  let best: number | null = null;
  for (const other of others)
    axis.lines(other).forEach((line, at) =>
      own.forEach((from, index) => {
        const shift = line - from;
        if (!fits(index, at) || Math.abs(shift) > reach) return;
        if (best === null || Math.abs(shift) < Math.abs(best)) best = shift;
      }),
    );
  return best;
}

/** One guide for each line on which the moved rectangle meets another one. */
function guidesOn(axis: Axis, moved: Rect, others: readonly Rect[]): Guide[] {
  const ends = new Map<number, [number, number]>();
  const own = axis.lines(moved);
  for (const other of others) {
    const [start, end] = axis.span(other);
    axis.lines(other).forEach((line, at) => {
      if (!own.some((from, index) => fits(index, at) && Math.abs(from - line) < 0.01)) return;
      const [low, high] = ends.get(line) ?? axis.span(moved);
      ends.set(line, [Math.min(low, start), Math.max(high, end)]);
    });
  }
  return [...ends].map(([line, [low, high]]) => axis.guide(line, low - OVERHANG, high + OVERHANG));
}
