/** The dot and the arrow into each entry state, one below the other at the same state. */

import type { Entry } from "../../session";
import { pillWidth, truncateLabel, type Size } from "./cardSizes";
import type { Point } from "./geometry";
import type { Scene } from "./scene";

export const ENTRY_LENGTH = 34;
const FIRST_Y = 14;
/** Distance between two entries of one state. */
const APART = 24;

export interface EntryMark {
  entry: Entry;
  /** The point of the arrow, at the left edge of the card. */
  tip: Point;
}

const MAX_KEY_LENGTH = 16;

/** The text above the arrow of an entry. */
export const entryText = (entry: Entry): string => truncateLabel(entry.key, MAX_KEY_LENGTH);

/** The size of the marks of one state, or undefined if it is no entry. */
export function entryMarksSize(entries: readonly Entry[]): Size | undefined {
  if (entries.length === 0) return undefined;
  const texts = entries.map((entry) => (entry.key ? pillWidth(entryText(entry)) : 0));
  return { w: Math.max(ENTRY_LENGTH + 5, ...texts), h: FIRST_Y + entries.length * APART };
}

export function entryMarks(scene: Pick<Scene, "cards">, entries: readonly Entry[]): EntryMark[] {
  const lines = new Map<string, number>();
  return entries.flatMap((entry) => {
    const card = scene.cards.get(entry.state);
    if (!card) return [];
    const line = lines.get(entry.state) ?? 0;
    lines.set(entry.state, line + 1);
    return [{ entry, tip: { x: card.x, y: card.y + FIRST_Y + line * APART } }];
  });
}
