/** A spatial index: finds the items in a rectangle without scanning all of them. */

import { overlaps, type Rect } from "./geometry";

const CELL_SIZE = 512;
/** Items in more cells, such as long arrows, are compared with every query. */
const MAX_CELLS = 64;

/** First and last column, first and last row. */
type Span = readonly [number, number, number, number];

interface Item {
  id: string;
  rect: Rect;
  span: Span;
}

export class GridIndex {
  private readonly items = new Map<string, Item>();
  private readonly cells = new Map<string, Set<Item>>();
  private readonly large = new Set<Item>();

  get size(): number {
    return this.items.size;
  }

  rect(id: string): Rect | undefined {
    return this.items.get(id)?.rect;
  }

  rects(): Rect[] {
    return [...this.items.values()].map(({ rect }) => rect);
  }

  set(id: string, rect: Rect): void {
    this.removeFromCells(id);
    const item = { id, rect, span: spanOf(rect) };
    this.items.set(id, item);
    if (cellCount(item.span) > MAX_CELLS) this.large.add(item);
    else
      for (const key of keysOf(item.span)) {
        const cell = this.cells.get(key);
        if (cell) cell.add(item);
        else this.cells.set(key, new Set([item]));
      }
  }

  delete(id: string): void {
    this.removeFromCells(id);
    this.items.delete(id);
  }

  private removeFromCells(id: string): void {
    const item = this.items.get(id);
    if (!item || this.large.delete(item)) return;
    for (const key of keysOf(item.span)) this.cells.get(key)?.delete(item);
  }

  /** Ids of the items that overlap the rectangle, each once, in no particular order. */
  query(rect: Rect): string[] {
    const span = spanOf(rect);
    const near =
      cellCount(span) > this.cells.size
        ? this.items.values()
        : new Set([
            ...this.large,
            ...keysOf(span).flatMap((key) => [...(this.cells.get(key) ?? [])]),
          ]);
    const ids: string[] = [];
    for (const item of near) if (overlaps(item.rect, rect)) ids.push(item.id);
    return ids;
  }
}

const spanOf = ({ x, y, w, h }: Rect): Span => [
  Math.floor(x / CELL_SIZE),
  Math.floor((x + w) / CELL_SIZE),
  Math.floor(y / CELL_SIZE),
  Math.floor((y + h) / CELL_SIZE),
];

const cellCount = ([left, right, top, bottom]: Span): number =>
  (right - left + 1) * (bottom - top + 1);

function keysOf([left, right, top, bottom]: Span): string[] {
  const keys: string[] = [];
  for (let column = left; column <= right; column += 1)
    for (let row = top; row <= bottom; row += 1) keys.push(`${column}|${row}`);
  return keys;
}
