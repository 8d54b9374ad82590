/** The rows of the story with their places, and the events of rows that are folded out. Pure. */

import type { RunEvent } from "../model/events";
import type { StoryRow } from "./story";

export interface StoryItem {
  row: StoryRow;
  event: RunEvent | null;
  top: number;
  height: number;
}

const HEIGHT = { visit: 48, mark: 28, event: 24 };

export function itemsOf(rows: readonly StoryRow[], expanded: ReadonlySet<number>): StoryItem[] {
  const items: StoryItem[] = [];
  let top = 0;
  const add = (row: StoryRow, event: RunEvent | null, height: number) => {
    items.push({ row, event, top, height });
    top += height;
  };
  for (const row of rows) {
    add(row, null, HEIGHT[row.kind]);
    if (expanded.has(row.id)) for (const event of row.events) add(row, event, HEIGHT.event);
  }
  return items;
}

/** The index of the first item that ends after `y`. */
export function itemAt(items: readonly StoryItem[], y: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.top + items[middle]!.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
