/** InsertedPlace for a card that is inserted into an arrow. */

import type { Size } from "../../scene/cardSizes";
import {
  bottom,
  middle,
  overlaps,
  padded,
  right,
  type Point,
  type Rect,
} from "../../scene/geometry";
import { COLUMN_GAP, ROW_GAP } from "../../layout/layoutTask";

export interface InsertedPlace {
  /** The top left corner of the card. */
  at: Point;
  /** New corners of the cards that make room. */
  pushed: Map<string, Point>;
}

/**
 * The place between a source and a target that is below it or to its right. Everything from the
 * target on moves on in that direction as far as needed. null for an arrow that leads back.
 */
export function placeBetween(
  cards: ReadonlyMap<string, Rect>,
  source: string,
  target: string,
  size: Size,
): InsertedPlace | null {
  const [from, to] = [cards.get(source), cards.get(target)];
  if (!from || !to || source === target) return null;
  const below = to.y >= bottom(from);
  if (!below && to.x < right(from)) return null;
  const at = below
    ? { x: (middle(from).x + middle(to).x - size.w) / 2, y: bottom(from) + ROW_GAP }
    : { x: right(from) + COLUMN_GAP, y: (middle(from).y + middle(to).y - size.h) / 2 };
  const place = { x: Math.round(at.x), y: Math.round(at.y) };
  const by = below
    ? { x: 0, y: Math.max(0, place.y + size.h + ROW_GAP - to.y) }
    : { x: Math.max(0, place.x + size.w + COLUMN_GAP - to.x), y: 0 };
  const isBeyond = (card: Rect) => (below ? card.y >= to.y : card.x >= to.x);
  const moving = by.x || by.y ? [...cards].filter(([, card]) => isBeyond(card)) : [];
  const pushed = new Map(moving.map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }]));
  const covered = [...cards].some(
    ([id, card]) => !pushed.has(id) && overlaps(padded({ ...place, ...size }, 8), card),
  );
  return covered ? null : { at: place, pushed };
}
