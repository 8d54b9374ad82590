/**
 * The dot and the arrow into each entry state, where the layout put them, else at the left of the
 * state, one below the other.
 */

import type { Entry } from "../../session";
import type { PlannedRoute } from "./plannedRoute";
import { headAngle, polyline, type Route } from "./arrowPath";
import type { Card } from "./card";
import { truncateLabel } from "./cardSizes";
import { sameRect, union, type Point, type Rect } from "./geometry";

export const ENTRY_DOT = 5;
const LENGTH = 34;
const FIRST_Y = 14;
/** Distance between two entries of one state. */
const APART = 24;
const LETTERS = 16;
const LETTER_WIDTH = 6.7;
const TEXT_HEIGHT = 12;

export interface EntryMark {
  entry: Entry;
  dot: Point;
  route: Route;
  /** The shortened key, and its place. */
  text: string;
  textAt: Point & { anchor: "end" | "middle" };
  /** The dot and the text. */
  rect: Rect;
}

/** Identifies an entry within a graph, among the ids of arrows: it comes from nowhere. */
export const entryId = ({ key, state }: Entry): string => `|${key}|${state}`;

export const entryTextWidth = ({ key }: Entry): number =>
  key ? Math.ceil(truncateLabel(key, LETTERS).length * LETTER_WIDTH) : 0;

export function entryMarks(
  cards: ReadonlyMap<string, Card>,
  entries: readonly Entry[],
  planned: ReadonlyMap<string, PlannedRoute>,
): EntryMark[] {
  const lines = new Map<string, number>();
  return entries.flatMap((entry) => {
    const card = cards.get(entry.state);
    if (!card) return [];
    const plan = planned.get(entryId(entry));
    if (plan && sameRect(plan.target, card)) return [markAlong(entry, plan.points)];
    const line = lines.get(entry.state) ?? 0;
    lines.set(entry.state, line + 1);
    const tip = { x: card.x, y: card.y + FIRST_Y + line * APART };
    return [markAlong(entry, [{ x: tip.x - LENGTH, y: tip.y }, tip])];
  });
}

/** `points` lead from the middle of the dot to the card. */
function markAlong(entry: Entry, points: Point[]): EntryMark {
  const angle = headAngle(points);
  const dot = points[0] as Point;
  const isUpright = angle === 90 || angle === 270;
  const textAt = isUpright
    ? { x: dot.x, y: dot.y - 10, anchor: "middle" as const }
    : { x: dot.x + ENTRY_DOT + 20, y: dot.y - 10, anchor: "end" as const };
  const dotRect = {
    x: dot.x - ENTRY_DOT,
    y: dot.y - ENTRY_DOT,
    w: 2 * ENTRY_DOT,
    h: 2 * ENTRY_DOT,
  };
  const w = entryTextWidth(entry);
  const x = isUpright ? textAt.x - w / 2 : textAt.x - w;
  const textRect = { x, y: textAt.y - TEXT_HEIGHT + 2, w, h: TEXT_HEIGHT };
  return {
    entry,
    dot,
    route: polyline(points, angle),
    text: truncateLabel(entry.key, LETTERS),
    textAt,
    rect: union(w ? [dotRect, textRect] : [dotRect]) as Rect,
  };
}
