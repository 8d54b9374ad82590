/** Free lanes for horizontal segments of arrows, clear of states and of other segments. */

import type { GridIndex } from "./gridIndex";
import { bottom, type Rect } from "./geometry";

const CLEARANCE = 14;
const LANE_GAP = 12;
const MAX_TRIES = 40;

interface Segment {
  y: number;
  from: number;
  to: number;
}

/** The horizontal segments in use. */
export class Lanes {
  private readonly segments = new Map<string, Segment>();
  private readonly rows = new Map<number, Set<string>>();

  take(id: string, run: Segment): void {
    this.free(id);
    this.segments.set(id, run);
    const row = Math.round(run.y / LANE_GAP);
    const ids = this.rows.get(row);
    if (ids) ids.add(id);
    else this.rows.set(row, new Set([id]));
  }

  free(id: string): void {
    const run = this.segments.get(id);
    if (!run) return;
    this.segments.delete(id);
    this.rows.get(Math.round(run.y / LANE_GAP))?.delete(id);
  }

  clear(): void {
    this.segments.clear();
    this.rows.clear();
  }

  isFree(run: Segment): boolean {
    const row = Math.round(run.y / LANE_GAP);
    for (const nearRow of [row - 1, row, row + 1])
      for (const id of this.rows.get(nearRow) ?? []) {
        const other = this.segments.get(id) as Segment;
        const close = Math.abs(other.y - run.y) < LANE_GAP - 1;
        if (close && other.from < run.to && run.from < other.to) return false;
      }
    return true;
  }
}

/**
 * The y closest to `wanted` in a direction (1 down, -1 up) at which a segment from..to hits
 * nothing. Returns the last attempt if none is free, because a line behind a card is better than no
 * line.
 */
export function freeLane(
  cards: GridIndex,
  lanes: Lanes,
  from: number,
  to: number,
  wanted: number,
  direction: 1 | -1,
): number {
  let y = wanted;
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const strip: Rect = { x: from, y: y - CLEARANCE + 1, w: to - from, h: 2 * CLEARANCE - 2 };
    const hit = cards.query(strip);
    if (hit.length) {
      const rects = hit.map((id) => cards.rect(id) as Rect);
      y =
        direction === 1
          ? Math.max(...rects.map(bottom)) + CLEARANCE
          : Math.min(...rects.map((rect) => rect.y)) - CLEARANCE;
    } else if (lanes.isFree({ y, from, to })) return y;
    else y += direction * LANE_GAP;
  }
  return y;
}
