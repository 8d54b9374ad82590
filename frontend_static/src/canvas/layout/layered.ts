/**
 * Layout of large graphs. Columns are distances from the start; rows follow the average row of the
 * neighbours, in one pass over the arrows per sweep. Tall columns are split and very wide graphs
 * are folded into bands, so that the result keeps a screen-like shape.
 */

import { readingOrder } from "./readingOrder";
import {
  COLUMN_GAP,
  ROW_GAP,
  type LayoutCard,
  type LayoutTask,
  type Positions,
} from "./layoutTask";

const SWEEPS = 6;
const SCREEN_RATIO = 1.7;
/** Graphs wider than this ratio are folded. */
const FOLD_RATIO = 8;
/** Minimum columns of a band. */
const MIN_BAND_COLUMNS = 24;

export function layoutInLayers(task: LayoutTask): Positions {
  const cards = new Map(task.cards.map((card) => [card.id, card]));
  const layers = layersOf(task);
  sortLayers(layers, task);
  const cell = cellOf(task.cards);
  const columns = layers.flatMap((layer) => splitColumn(layer, mostRows(task.cards.length, cell)));
  return placeInBands(columns, cards, neighboursOf(task), cell);
}

interface Cell {
  w: number;
  h: number;
}

function cellOf(cards: LayoutCard[]): Cell {
  const widest = Math.max(...cards.map((card) => card.w), 1);
  const highest = Math.max(...cards.map((card) => card.h), 1);
  return { w: widest + COLUMN_GAP + 32, h: highest + ROW_GAP };
}

/** Rows per column if this many cards fill a screen-shaped area. */
const mostRows = (count: number, cell: Cell): number =>
  Math.max(8, Math.ceil(Math.sqrt((count * cell.w) / cell.h / SCREEN_RATIO)));

function layersOf(task: LayoutTask): string[][] {
  const { order, depth } = readingOrder(task);
  const layers: string[][] = [];
  for (const id of order) {
    const at = depth.get(id) as number;
    (layers[at] ??= []).push(id);
  }
  return layers.filter((layer) => layer.length);
}

type Neighbours = Map<string, string[]>;

function neighboursOf(task: LayoutTask): Neighbours {
  const neighbours: Neighbours = new Map();
  const add = (from: string, to: string) => {
    const list = neighbours.get(from);
    if (list) list.push(to);
    else neighbours.set(from, [to]);
  };
  for (const arrow of task.arrows) {
    if (arrow.source === arrow.target) continue;
    add(arrow.source, arrow.target);
    add(arrow.target, arrow.source);
  }
  return neighbours;
}

function sortLayers(layers: string[][], task: LayoutTask): void {
  const neighbours = neighboursOf(task);
  const layerOf = new Map(layers.flatMap((layer, index) => layer.map((id) => [id, index])));
  const row = new Map<string, number>();
  const number = (layer: string[]) =>
    layer.forEach((id, index) => row.set(id, (index + 0.5) / layer.length));
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const toward = sweep % 2 ? 1 : -1;
    const visit = sweep % 2 ? [...layers].reverse() : layers;
    for (const layer of visit) {
      const wish = new Map(
        layer.map((id) => [
          id,
          averageRow(id, toward, neighbours, layerOf, row) ?? row.get(id) ?? 0,
        ]),
      );
      layer.sort((a, b) => (wish.get(a) as number) - (wish.get(b) as number));
      number(layer);
    }
  }
}

function averageRow(
  id: string,
  toward: number,
  neighbours: Neighbours,
  layerOf: Map<string, number>,
  row: Map<string, number>,
): number | null {
  const neighbourLayer = (layerOf.get(id) as number) + toward;
  let [sum, count] = [0, 0];
  for (const other of neighbours.get(id) ?? [])
    if (layerOf.get(other) === neighbourLayer) {
      sum += row.get(other) as number;
      count += 1;
    }
  return count ? sum / count : null;
}

function splitColumn(layer: string[], maxRows: number): string[][] {
  const pieces = Math.ceil(layer.length / maxRows);
  const size = Math.ceil(layer.length / pieces);
  return Array.from({ length: pieces }, (_, index) =>
    layer.slice(index * size, (index + 1) * size),
  );
}

function placeInBands(
  columns: string[][],
  cards: Map<string, LayoutCard>,
  neighbours: Neighbours,
  cell: Cell,
): Positions {
  const tallest = Math.max(...columns.map((column) => column.length), 1);
  const shape = (columns.length * cell.w) / (tallest * cell.h);
  const bands = shape > FOLD_RATIO ? Math.max(1, Math.round(Math.sqrt(shape / SCREEN_RATIO))) : 1;
  const perBand = Math.max(MIN_BAND_COLUMNS, Math.ceil(columns.length / bands));
  const placed: Positions = new Map();
  let top = 0;
  for (let from = 0; from < columns.length; from += perBand) {
    const band = columns.slice(from, from + perBand);
    const rows = Math.max(...band.map((column) => column.length));
    const strip = { top, height: rows * cell.h };
    band.forEach((column, index) =>
      placeColumn(column, index * cell.w, strip, cards, neighbours, placed),
    );
    top = lowestEdge(placed, cards) + 2 * cell.h;
  }
  return placed;
}

function lowestEdge(placed: Positions, cards: Map<string, LayoutCard>): number {
  let low = 0;
  for (const [id, point] of placed) low = Math.max(low, point.y + (cards.get(id)?.h ?? 0));
  return low;
}

interface Strip {
  top: number;
  height: number;
}

/**
 * Place one column: each card as close as possible to its placed neighbours, in the sorted order
 * and inside its band.
 */
function placeColumn(
  column: string[],
  x: number,
  strip: Strip,
  cards: Map<string, LayoutCard>,
  neighbours: Neighbours,
  placed: Positions,
): void {
  const heights = column.map((id) => (cards.get(id)?.h ?? 0) + ROW_GAP);
  const total = heights.reduce((sum, height) => sum + height, 0);
  const slack = Math.max(0, strip.height - total);
  let above = 0;
  const offsets = heights.map((height) => (above += height) - height);
  const wishes = column.map((id, index) => {
    const first = strip.top + (offsets[index] as number);
    const neighbourRows = (neighbours.get(id) ?? []).flatMap((other) => placed.get(other)?.y ?? []);
    const wish = neighbourRows.length
      ? neighbourRows.reduce((sum, one) => sum + one, 0) / neighbourRows.length
      : first + slack / 2;
    return Math.max(first, Math.min(first + slack, wish));
  });
  const tops = [...offsets];
  resolveOverlaps(tops, wishes, heights);
  column.forEach((id, index) => placed.set(id, { x, y: Math.round(tops[index] as number) }));
}

/**
 * Move the tops towards their wanted positions without changing order or overlapping. Runs that
 * would overlap share the average of their wishes (pool adjacent violators).
 */
function resolveOverlaps(tops: number[], wishes: number[], heights: number[]): void {
  const blocks: { from: number; count: number; height: number; sum: number }[] = [];
  const start = (block: (typeof blocks)[number]) => block.sum / block.count;
  wishes.forEach((wish, index) => {
    blocks.push({ from: index, count: 1, height: heights[index] as number, sum: wish });
    for (;;) {
      const [above, last] = [blocks.at(-2), blocks.at(-1)];
      if (!above || !last || start(above) + above.height <= start(last)) return;
      const shifted = last.sum - last.count * above.height;
      blocks.splice(-2, 2, {
        from: above.from,
        count: above.count + last.count,
        height: above.height + last.height,
        sum: above.sum + shifted,
      });
    }
  });
  for (const block of blocks) {
    let y = start(block);
    for (let index = block.from; index < block.from + block.count; index += 1) {
      tops[index] = y;
      y += heights[index] as number;
    }
  }
}
