import { describe, expect, test, vi } from "vitest";
import { layoutInLayers } from "./layered";
import type { Point } from "../scene/geometry";
import type { LayoutArrow, LayoutTask, Positions } from "./layoutTask";
import ELK from "elkjs/lib/main.js";
import { layoutGraph } from "./layoutGraph";

// elkjs lays out a graph in several ways, for seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const SIZE = { w: 208, h: 72 };

function task(arrows: [string, string][]): LayoutTask {
  const ids = [...new Set(arrows.flat())];
  return {
    cards: ids.map((id) => ({ id, ...SIZE })),
    arrows: arrows.map(arrow),
  };
}

const arrow = ([source, target]: readonly [string, string], n: number): LayoutArrow => ({
  id: `${n}|${source}|${target}`,
  source,
  target,
  label: 60,
});

const elk = new ELK();
const whole = async (one: LayoutTask): Promise<Positions> =>
  (await layoutGraph(one, elk)).positions;
const inLayers = (one: LayoutTask): Promise<Positions> => Promise.resolve(layoutInLayers(one));

function chain(count: number, back = 0): LayoutTask {
  const arrows = Array.from({ length: count - 1 }, (_, n): [string, string] => [
    `s${n}`,
    `s${n + 1}`,
  ]);
  for (let n = 0; n < back; n += 1) arrows.push([`s${count - 1 - n}`, `s${n}`]);
  return task(arrows);
}

function wide(count: number): LayoutTask {
  const arrows = Array.from({ length: count }, (_, n): [string, string] => [
    `s${Math.floor(n / 3)}`,
    `s${n + 1}`,
  ]);
  return task(arrows);
}

function overlapping(placed: Positions): string[] {
  const all = [...placed].sort((a, b) => a[1].x - b[1].x);
  const overlaps: string[] = [];
  all.forEach(([id, a], index) => {
    for (const [other, b] of all.slice(index + 1)) {
      if (b.x >= a.x + SIZE.w) break;
      if (Math.abs(a.y - b.y) < SIZE.h) overlaps.push(`${id} on ${other}`);
    }
  });
  return overlaps;
}

const TASKS: [string, LayoutTask][] = [
  ["one state", { cards: [{ id: "a", ...SIZE }], arrows: [arrow(["a", "a"], 0)] }],
  ["a chain", chain(12)],
  ["a chain with loops back", chain(12, 4)],
  ["a tree", wide(40)],
  [
    "two that know nothing of each other",
    task([
      ["a", "b"],
      ["c", "d"],
    ]),
  ],
  [
    "the end of a run",
    {
      cards: [...chain(3).cards, { id: "", ...SIZE }],
      arrows: [...chain(3).arrows, arrow(["s2", ""], 99)],
    },
  ],
  ["a target that is missing", { ...chain(3), arrows: [arrow(["s0", "ghost"], 99)] }],
];

/** Positions along the longer side: a layout goes to the right or down. */
function along(placed: Positions): (id: string) => number {
  const spread = (of: (point: Point) => number) => {
    const all = [...placed.values()].map(of);
    return Math.max(...all) - Math.min(...all);
  };
  const side = spread(({ x }) => x) >= spread(({ y }) => y) ? "x" : "y";
  return (id) => placed.get(id)?.[side] ?? Number.NaN;
}

describe.each([
  ["whole", whole],
  ["in layers", inLayers],
])("layout: %s", (_name, lay) => {
  test.each(TASKS)("places all states of %s without overlaps", async (_what, one) => {
    const placed = await lay(one);
    expect([...placed.keys()].sort()).toEqual(one.cards.map((card) => card.id).sort());
    expect(overlapping(placed)).toEqual([]);
    for (const { x, y } of placed.values()) expect(Number.isFinite(x + y)).toBe(true);
  });

  test.each([0, 3])("begins with the entry, and %i back arrows", async (back) => {
    const place = along(await lay(chain(8, back)));
    const xs = Array.from({ length: 8 }, (_, n) => place(`s${n}`));
    expect(Math.min(...xs)).toBe(xs[0]);
    // Small graphs with back arrows may be folded, to be readable.
    if (back) return;
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
    expect(new Set(xs).size).toBe(8);
  });

  test("places unreachable states next to their targets", async () => {
    const lost: [string, string][] = [
      ["lost", "s5"],
      ["earlier", "lost"],
    ];
    const all = chain(8);
    const ids = ["lost", "earlier"].map((id) => ({ id, ...SIZE }));
    const arrows = [...all.arrows, ...lost.map((pair, n) => arrow(pair, 100 + n))];
    const placed = await lay({ cards: [...all.cards, ...ids], arrows });
    const x = along(placed);
    expect(x("lost")).toBeGreaterThan(x("s2"));
    expect(x("lost")).toBeLessThan(x("s5"));
    expect(x("earlier")).toBeLessThan(x("lost"));
  });

  test("is deterministic", async () => {
    expect([...(await lay(wide(60)))]).toEqual([...(await lay(wide(60)))]);
  });
});

describe("a layout of thousands of states", () => {
  test("has a screen-like shape and no overlaps", async () => {
    const placed = await whole(wide(3_000));
    const xs = [...placed.values()].map((point) => point.x);
    const ys = [...placed.values()].map((point) => point.y);
    const shape = (Math.max(...xs) - Math.min(...xs)) / (Math.max(...ys) - Math.min(...ys));
    expect(shape).toBeGreaterThan(0.3);
    expect(shape).toBeLessThan(13);
    expect(overlapping(placed)).toEqual([]);
  });

  test("folds a very long chain", async () => {
    const placed = await whole(chain(2_000));
    const width = Math.max(...[...placed.values()].map((point) => point.x));
    expect(width).toBeLessThan(40_000);
    expect(overlapping(placed)).toEqual([]);
  });
});
