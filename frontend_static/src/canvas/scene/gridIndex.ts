/**
 * A spatial index: finds the items in a rectangle without scanning all of them. Items larger than a
 * few cells, such as long arrows, go into a coarser grid so that adding them stays cheap.
 */

import { overlaps, type Rect } from "./geometry";

const CELL_SIZE = 512;
const LEVEL_FACTOR = 8;
const LEVELS = 4;
const MAX_CELLS = 16;

interface IndexedRect {
  rect: Rect;
  level: number;
  /** Column and row span in that level. */
  span: readonly [number, number, number, number];
}

export class GridIndex {
  private readonly items = new Map<string, IndexedRect>();
  private readonly levels: Map<number, Set<string>>[] = Array.from(
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
    if (was) this.removeFromCells(id, was);
    this.items.set(id, { rect, level, span });
    forEachCell(span, (key) => {
      const cells = this.levels[level] as Map<number, Set<string>>;
      const cell = cells.get(key);
      if (cell) cell.add(id);
      else cells.set(key, new Set([id]));
    });
  }

  delete(id: string): void {
    const was = this.items.get(id);
    if (!was) return;
    this.removeFromCells(id, was);
    this.items.delete(id);
  }

  clear(): void {
    this.items.clear();
    for (const cells of this.levels) cells.clear();
  }

  /** Ids of the items that overlap the rectangle, each once, in no particular order. */
  query(rect: Rect): string[] {
    if (this.items.size < 64) return this.scanAll(rect);
    const ids = new Set<string>();
    for (let level = 0; level < LEVELS; level += 1) {
      const cells = this.levels[level] as Map<number, Set<string>>;
      if (!cells.size) continue;
      const span = spanOf(rect, level);
      if ((span[2] - span[0] + 1) * (span[3] - span[1] + 1) > cells.size) return this.scanAll(rect);
      forEachCell(span, (key) => {
        for (const id of cells.get(key) ?? []) {
          if (!ids.has(id) && overlaps((this.items.get(id) as IndexedRect).rect, rect)) ids.add(id);
        }
      });
    }
    return [...ids];
  }

  private scanAll(rect: Rect): string[] {
    const ids: string[] = [];
    for (const [id, item] of this.items) if (overlaps(item.rect, rect)) ids.push(id);
    return ids;
  }

  private removeFromCells(id: string, was: IndexedRect): void {
    const cells = this.levels[was.level] as Map<number, Set<string>>;
    forEachCell(was.span, (key) => {
      const cell = cells.get(key);
      cell?.delete(id);
      if (cell?.size === 0) cells.delete(key);
    });
  }
}

type Span = readonly [number, number, number, number];

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
function forEachCell(span: Span, visit: (key: number) => void): void {
  for (let column = span[0]; column <= span[2]; column += 1)
    for (let row = span[1]; row <= span[3]; row += 1)
      visit((column + OFFSET / 2) * OFFSET + (row + OFFSET / 2));
}
