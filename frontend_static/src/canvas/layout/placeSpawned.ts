/**
 * Positions for states that a run adds: in columns to the right of the state that added them,
 * filled from the middle, without covering other states.
 */

import type { Scene } from "../scene/scene";
import { overlaps, padded, type Point, type Rect } from "../scene/geometry";
import type { Size } from "../scene/cardSizes";
import { COLUMN_GAP, ROW_GAP } from "./layoutTask";

const MAX_STEPS = 48;
const CLEARANCE = 16;
/** Gap between the parent and its first column. It holds a label and the bends of many arrows. */
const FIRST_GAP = 136;

export function placeSpawned(
  scene: Scene,
  parent: Rect,
  size: Size,
  occupied: readonly Rect[],
): Point {
  const first = parent.x + parent.w + FIRST_GAP;
  const across = size.w + COLUMN_GAP;
  const down = size.h + ROW_GAP;
  for (let cost = 0; cost < MAX_STEPS; cost += 1)
    for (let column = 0; column <= cost; column += 1) {
      const rows = cost - column;
      for (const row of rows ? [rows, -rows] : [0]) {
        const spot = { x: first + column * across, y: parent.y + row * down, ...size };
        if (isFree(scene, spot, occupied)) return { x: spot.x, y: spot.y };
      }
    }
  return scene.freeSpot({ x: first, y: parent.y, ...size });
}

function isFree(scene: Scene, spot: Rect, occupied: readonly Rect[]): boolean {
  const wide = padded(spot, CLEARANCE);
  return !scene.cardIndex.query(wide).length && !occupied.some((other) => overlaps(wide, other));
}
