/**
 * A spatial index: finds the items in a rectangle without scanning all of them. Items larger than a
 * few cells, such as long arrows, go into a coarser grid so that adding them stays cheap.
 */

import { overlaps, type Rect } from "./geometry";

const CELL_SIZE = 512;
const LEVEL_FACTOR = 8;
const LEVELS = 4;
const MAX_CELLS = 16;

interface Item {
  id: string;
  rect: Rect;
  level: number;
  /** Column and row span in that level. */
  span: readonly [number, number, number, number];
}

export class GridIndex {
  private readonly items = new Map<string, Item>();
  private readonly levels: Map<number, Set<Item>>[] = Array.from(
    { length: LEVELS },
    () => new Map(),
  );

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
    const { level, span } = chooseLevel(rect);
    const was = this.items.get(id);
    if (was && was.level === level && same(was.span, span)) {
      was.rect = rect;
      return;
    }
    if (was) this.removeFromCells(was);
    const item = { id, rect, level, span };
    this.items.set(id, item);
    forEachCell(span, (key) => {
      const cells = this.levels[level] as Map<number, Set<Item>>;
      const cell = cells.get(key);
      if (cell) cell.add(item);
      else cells.set(key, new Set([item]));
    });
  }

  delete(id: string): void {
    const was = this.items.get(id);
    if (!was) return;
    this.removeFromCells(was);
    this.items.delete(id);
  }

  clear(): void {
    this.items.clear();
    for (const cells of this.levels) cells.clear();
  }

  /** Ids of the items that overlap the rectangle, each once, in no particular order. */
  query(rect: Rect): string[] {
    if (this.items.size < 64) return this.scanAll(rect);
    const ids: string[] = [];
    for (let level = 0; level < LEVELS; level += 1) {
      const cells = this.levels[level] as Map<number, Set<Item>>;
      if (!cells.size) continue;
      const span = spanOf(rect, level);
      if ((span[2] - span[0] + 1) * (span[3] - span[1] + 1) > cells.size) return this.scanAll(rect);
      for (let column = span[0]; column <= span[2]; column += 1)
        for (let row = span[1]; row <= span[3]; row += 1)
          for (const item of cells.get(keyOf(column, row)) ?? NO_ITEMS)
            if (isFirst(item.span, span, column, row) && overlaps(item.rect, rect))
              ids.push(item.id);
    }
    return ids;
  }

  private scanAll(rect: Rect): string[] {
    const ids: string[] = [];
    for (const [id, item] of this.items) if (overlaps(item.rect, rect)) ids.push(id);
    return ids;
  }

  private removeFromCells(item: Item): void {
    const cells = this.levels[item.level] as Map<number, Set<Item>>;
    forEachCell(item.span, (key) => {
      const cell = cells.get(key);
      cell?.delete(item);
      if (cell?.size === 0) cells.delete(key);
    });
  }
}

const NO_ITEMS: readonly Item[] = [];

type Span = readonly [number, number, number, number];

/** True for the first of the cells that an item and a query share. */
const isFirst = (item: Span, query: Span, column: number, row: number): boolean =>
  (column === query[0] || column === item[0]) && (row === query[1] || row === item[1]);

function spanOf(rect: Rect, level: number): Span {
  const size = CELL_SIZE * LEVEL_FACTOR ** level;
  return [
    Math.floor(rect.x / size),
    Math.floor(rect.y / size),
    Math.floor((rect.x + rect.w) / size),
    Math.floor((rect.y + rect.h) / size),
  ];
}

function chooseLevel(rect: Rect): { level: number; span: Span } {
  for (let level = 0; ; level += 1) {
    const span = spanOf(rect, level);
    const cells = (span[2] - span[0] + 1) * (span[3] - span[1] + 1);
    if (cells <= MAX_CELLS || level === LEVELS - 1) return { level, span };
  }
}

const same = (a: Span, b: Span) => a.every((value, index) => value === b[index]);

/** Column and row in one number. Holds 67 million cells in each direction. */
const OFFSET = 2 ** 26;
const keyOf = (column: number, row: number): number =>
  (column + OFFSET / 2) * OFFSET + (row + OFFSET / 2);

function forEachCell(span: Span, visit: (key: number) => void): void {
  for (let column = span[0]; column <= span[2]; column += 1)
    for (let row = span[1]; row <= span[3]; row += 1) visit(keyOf(column, row));
}
