/**
 * Drawing quality of the packs on standard input, with dagre and with the product's layout. Prints
 * one JSON object per pack, layout and window size.
 */

import { readFileSync } from "node:fs";
import ELK from "elkjs/lib/main.js";
import type { State, Transition } from "../src/api/types";
import { toGraphMaps, type GraphMaps } from "../src/session/state";
import { arrowLabel } from "../src/canvas/scene/arrowLabel";
import { PILL_HEIGHT, pillWidth } from "../src/canvas/scene/cardSizes";
import { overlaps, type Point, type Rect } from "../src/canvas/scene/geometry";
import { Scene } from "../src/canvas/scene/scene";
import { layoutGraph } from "../src/canvas/layout/layoutGraph";
import { layoutTaskFor } from "../src/canvas/layout/layoutTaskFor";
import type { LayoutTask, Layout } from "../src/canvas/layout/layoutTask";
import { fitZoom, START_ZOOM } from "../src/canvas/view/fitZoom";
import { layoutWithDagre } from "./dagre";
import { arrow, graph, state } from "./graph";

interface Pack {
  name: string;
  states: { id: string; kind: string }[];
  transitions: Pick<Transition, "source" | "target" | "label" | "kind">[];
}

/** Canvas sizes of the editor in windows of 1280 × 800, 1440 × 900 and 1920 × 1080 pixels. */
const WINDOWS = JSON.parse(process.argv[2] ?? "{}") as Record<string, { w: number; h: number }>;
/** The margins of the view before elkjs. */
const DAGRE_MARGINS = { edge: 24, graph: 56 };

const packs = JSON.parse(readFileSync(0, "utf8")) as Pack[];
const elk = new ELK();
for (const pack of packs) {
  const maps = toGraphMaps(
    graph(
      pack.states.map((one): State => state(one.id, one.kind)),
      pack.transitions.map((one) => arrow(one.source, one.label, one.target, one.kind)),
    ),
  );
  for (const [width, window] of Object.entries(WINDOWS)) {
    const task = layoutTaskFor(maps, window);
    const before = { positions: layoutWithDagre(task), routes: new Map() };
    print(pack, width, "before", measure(maps, before, window, DAGRE_MARGINS));
    print(pack, width, "after", measure(maps, await timed(task), window));
  }
}

async function timed(task: LayoutTask): Promise<Layout & { ms: number }> {
  const start = performance.now();
  const layout = await layoutGraph(task, elk);
  return { ...layout, ms: Math.round(performance.now() - start) };
}

function print(pack: Pack, width: string, layout: string, figures: object): void {
  console.log(
    JSON.stringify({ pack: pack.name, states: pack.states.length, width, layout, ...figures }),
  );
}

function measure(
  maps: GraphMaps,
  layout: Layout & { ms?: number },
  window: { w: number; h: number },
  margins?: { edge: number; graph: number },
) {
  const scene = new Scene();
  scene.planRoutes(layout.routes);
  scene.update(maps, layout.positions);
  const drawn = [...scene.arrows.values()].flatMap((one) => {
    const route = scene.route(one.id);
    return route ? [{ arrow: one, route }] : [];
  });
  const pills = drawn.flatMap(({ arrow: one, route }) => {
    const label = arrowLabel(one);
    return label ? [pillRect(route.label, pillWidth(label))] : [];
  });
  const covered = pills.filter(
    (pill) =>
      [...scene.cards.values()].some((card) => overlaps(pill, card)) ||
      pills.some((other) => other !== pill && overlaps(pill, other)),
  );
  const bounds = scene.bounds();
  const lengths = drawn.map(({ route }) => lengthOf(route.points));
  return {
    labels: pills.length,
    covered: covered.length,
    crossings: crossings(drawn.map(({ route }) => route.points)),
    length: Math.round(lengths.reduce((sum, one) => sum + one, 0) / Math.max(1, lengths.length)),
    zoom: bounds ? Math.min(1, fitZoom(bounds, window, margins)) : 1,
    opens: bounds
      ? Math.min(1, Math.max(margins ? 0 : START_ZOOM, fitZoom(bounds, window, margins)))
      : 1,
    ms: layout.ms,
  };
}

function pillRect({ x, y }: Point, width: number): Rect {
  return { x: x - width / 2, y: y - PILL_HEIGHT / 2, w: width, h: PILL_HEIGHT };
}

function lengthOf(points: Point[]): number {
  return points
    .slice(1)
    .reduce((sum, b, n) => sum + Math.hypot(b.x - points[n]!.x, b.y - points[n]!.y), 0);
}

/** Pairs of arrows that cross at least once. */
function crossings(lines: Point[][]): number {
  let count = 0;
  lines.forEach((a, index) => {
    for (const b of lines.slice(index + 1)) if (crosses(a, b)) count += 1;
  });
  return count;
}

function crosses(a: Point[], b: Point[]): boolean {
  for (let i = 1; i < a.length; i += 1)
    for (let j = 1; j < b.length; j += 1)
      if (segmentsCross(a[i - 1]!, a[i]!, b[j - 1]!, b[j]!)) return true;
  return false;
}

function segmentsCross(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point) =>
    Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}
