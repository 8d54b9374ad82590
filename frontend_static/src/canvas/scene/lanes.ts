/**
 * Free lanes for horizontal segments of arrows, clear of states. Of lanes side by side an arrow takes
 * one that depends on its id only: a large graph is drawn in parts, and its lines must not depend on
 * what was seen or edited first.
 */

import type { GridIndex } from "./gridIndex";
import { bottom, type Rect } from "./geometry";

const CLEARANCE = 14;
const LANE_GAP = 12;
const LANES = 4;
const MAX_TRIES = 40;

/** The distance of an arrow's lane to the first one. `nth`: its number among parallel arrows. */
export function laneShift(id: string, nth: number): number {
  let mixed = 0;
  for (let at = 0; at < id.length; at += 1)
    mixed = Math.imul(mixed ^ id.charCodeAt(at), 0x9e3779b1);
  return (((mixed >>> 16) + nth) % LANES) * LANE_GAP;
}

/**
 * The y closest to `wanted` in a direction (1 down, -1 up) at which a segment from..to hits no card,
 * shifted by `shift`. Returns the last attempt if none is free, because a line behind a card is
 * better than no line.
 */
export function freeLane(
  cards: GridIndex,
  [from, to]: readonly [number, number],
  wanted: number,
  direction: 1 | -1,
  shift: number,
): number {
  let y = wanted + direction * shift;
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const strip: Rect = { x: from, y: y - CLEARANCE + 1, w: to - from, h: 2 * CLEARANCE - 2 };
    const hit = cards.query(strip).map((id) => cards.rect(id) as Rect);
    if (!hit.length) return y;
    const edge = direction === 1 ? Math.max(...hit.map(bottom)) : Math.min(...hit.map((r) => r.y));
    y = edge + direction * (CLEARANCE + shift);
  }
  return y;
}
