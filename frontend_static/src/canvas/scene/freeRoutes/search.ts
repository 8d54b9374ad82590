/** The cheapest orthogonal line between two cards: short, with few bends and few crossings. */

import type { Point, Rect } from "../geometry";
import { STEPS, type Direction, type End } from "./ends";
import { CLEARANCE, costOf, within, type Field } from "./field";
import { gridFor, type Grid } from "./grid";

const BEND_COST = 28;
/** Steps of a search at most, so that no drawing blocks the page. */
const MOST_STEPS = 12_000;

interface Node {
  x: number;
  y: number;
  way: Direction;
  cost: number;
  /** The cost with the least distance that is left. */
  total: number;
  before: Node | null;
  start: End;
}

/** null if cards are in every way. */
export function searchRoute(
  starts: readonly End[],
  goals: readonly End[],
  field: Field,
  area: Rect,
): Point[] | null {
  const grid = gridFor([...starts, ...goals], field, area);
  const goalAt = goalsByPlace(goals, grid);
  const pieces = new PieceCosts(grid, field);
  const best = new Map<number, number>();
  const open = new Heap();
  const add = (node: Omit<Node, "total">) => {
    const key = keyOf(node);
    if (node.cost >= (best.get(key) ?? Infinity)) return;
    best.set(key, node.cost);
    open.push({ ...node, total: node.cost + leastLeft(pointOf(node, grid), goals) });
  };
  for (const start of starts)
    add({
      x: grid.xs.indexOf(start.stub.x),
      y: grid.ys.indexOf(start.stub.y),
      way: start.out,
      cost: start.cost,
      before: null,
      start,
    });
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const node = open.pop();
    if (!node) return null;
    if (node.before && "goal" in node) return pointsOf(node as Arrival, grid);
    if (node.cost > (best.get(keyOf(node)) ?? Infinity)) continue;
    for (const goal of goalAt.get(placeKey(node.x, node.y)) ?? []) {
      const inward = ((goal.out + 2) % 4) as Direction;
      const turn = turnCost(node.way, inward);
      if (turn === Infinity) continue;
      const cost = node.cost + turn + goal.cost;
      open.push({ ...node, cost, total: cost, before: node, goal } as Arrival);
    }
    for (const next of neighbours(node, grid, pieces)) add(next);
  }
  return null;
}

interface Arrival extends Node {
  goal: End;
}

/** No turn back; a turn costs. */
function turnCost(from: Direction, to: Direction): number {
  if (from === to) return 0;
  return (from + 2) % 4 === to ? Infinity : BEND_COST;
}

function neighbours(node: Node, grid: Grid, pieces: PieceCosts): Omit<Node, "total">[] {
  return ([0, 1, 2, 3] as const).flatMap((way) => {
    const turn = turnCost(node.way, way);
    const x = node.x + STEPS[way].x;
    const y = node.y + STEPS[way].y;
    if (turn === Infinity || grid.xs[x] === undefined || grid.ys[y] === undefined) return [];
    const [a, b] = [pointOf(node, grid), pointOf({ x, y }, grid)];
    const extra = pieces.cost(Math.min(x, node.x), Math.min(y, node.y), way % 2 === 1);
    if (extra === Infinity) return [];
    const cost = node.cost + turn + extra + Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
    return [{ x, y, way, cost, before: node, start: node.start }];
  });
}

/** Costs of the pieces between neighbouring places, computed once. */
class PieceCosts {
  private readonly costs = new Map<number, number>();
  /** The part of the field along each line of the grid. */
  private readonly parts = new Map<number, Field>();

  constructor(
    private readonly grid: Grid,
    private readonly field: Field,
  ) {}

  /** The piece to the right of a place, or below it. */
  cost(x: number, y: number, upright: boolean): number {
    const key = placeKey(x, y) * 2 + Number(upright);
    const before = this.costs.get(key);
    if (before !== undefined) return before;
    const next = upright ? { x, y: y + 1 } : { x: x + 1, y };
    const part = this.along(upright ? x : y, upright);
    const cost = costOf(part, pointOf({ x, y }, this.grid), pointOf(next, this.grid));
    this.costs.set(key, cost);
    return cost;
  }

  private along(index: number, upright: boolean): Field {
    const key = index * 2 + Number(upright);
    const before = this.parts.get(key);
    if (before) return before;
    const at = (upright ? this.grid.xs : this.grid.ys)[index] as number;
    const area = upright
      ? { x: at - CLEARANCE, y: -FAR, w: 2 * CLEARANCE, h: 2 * FAR }
      : { x: -FAR, y: at - CLEARANCE, w: 2 * FAR, h: 2 * CLEARANCE };
    const part = within(this.field, area);
    this.parts.set(key, part);
    return part;
  }
}

const FAR = 1e7;

const placeKey = (x: number, y: number): number => x * 1000 + y;
const keyOf = ({ x, y, way }: { x: number; y: number; way: Direction }): number =>
  placeKey(x, y) * 4 + way;

const pointOf = ({ x, y }: { x: number; y: number }, grid: Grid): Point => ({
  x: grid.xs[x] as number,
  y: grid.ys[y] as number,
});

function leastLeft({ x, y }: Point, goals: readonly End[]): number {
  let least = Infinity;
  for (const { stub } of goals)
    least = Math.min(least, Math.abs(stub.x - x) + Math.abs(stub.y - y));
  return least;
}

function goalsByPlace(goals: readonly End[], grid: Grid): Map<number, End[]> {
  const places = new Map<number, End[]>();
  for (const goal of goals) {
    const key = placeKey(grid.xs.indexOf(goal.stub.x), grid.ys.indexOf(goal.stub.y));
    places.set(key, [...(places.get(key) ?? []), goal]);
  }
  return places;
}

function pointsOf(arrival: Arrival, grid: Grid): Point[] {
  const points: Point[] = [arrival.goal.port];
  for (let node = arrival.before; node; node = node.before) points.unshift(pointOf(node, grid));
  points.unshift(arrival.start.port);
  return withoutStraight(points);
}

/** Only the ends and the bends. */
function withoutStraight(points: readonly Point[]): Point[] {
  return points.filter((point, index) => {
    const [a, b] = [points[index - 1], points[index + 1]];
    if (!a || !b) return true;
    const flat = Math.abs(a.y - point.y) < 0.01 && Math.abs(b.y - point.y) < 0.01;
    const upright = Math.abs(a.x - point.x) < 0.01 && Math.abs(b.x - point.x) < 0.01;
    return !flat && !upright;
  });
}

/** A binary heap of nodes, the one with the least total first. */
class Heap {
  private readonly nodes: Node[] = [];

  push(node: Node): void {
    const { nodes } = this;
    let at = nodes.push(node) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((nodes[parent] as Node).total <= node.total) break;
      nodes[at] = nodes[parent] as Node;
      at = parent;
    }
    nodes[at] = node;
  }

  pop(): Node | undefined {
    const { nodes } = this;
    const first = nodes[0];
    const last = nodes.pop();
    if (!last || !nodes.length) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= nodes.length) break;
      if ((nodes[child + 1]?.total ?? Infinity) < (nodes[child] as Node).total) child += 1;
      if ((nodes[child] as Node).total >= last.total) break;
      nodes[at] = nodes[child] as Node;
      at = child;
    }
    nodes[at] = last;
    return first;
  }
}
