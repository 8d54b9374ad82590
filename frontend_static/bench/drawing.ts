/**
 * Drawing quality of the packs on standard input, with dagre and with the product's layout, and
 * after edits. Prints one JSON object per level of a pack, layout and window size.
 */

import { readFileSync } from "node:fs";
import ELK from "elkjs/lib/main.js";
import type { Edit, Entry, Group, State, Transition } from "../src/api/types";
import { graphAtLevel, levelsIn } from "../src/session/canvasLevels";
import { applyEdits, emptyState } from "../src/session/optimisticEdits";
import type { GraphMaps } from "../src/session/state";
import { arrowLabel } from "../src/canvas/scene/arrowLabel";
import { PILL_HEIGHT, pillWidth } from "../src/canvas/scene/cardSizes";
import { overlaps, type Point, type Rect } from "../src/canvas/scene/geometry";
import { Scene } from "../src/canvas/scene/scene";
import { layoutGraph } from "../src/canvas/layout/layoutGraph";
import { layoutTaskFor } from "../src/canvas/layout/layoutTaskFor";
import { withoutRoutes, type LayoutTask, type Layout } from "../src/canvas/layout/layoutTask";
import { renamesBetween } from "../src/canvas/scene/renames";
import { fitZoom, START_ZOOM } from "../src/canvas/view/fitZoom";
import { layoutWithDagre } from "./dagre";

/** The output of `signalbox graph --format json`. */
interface Pack {
  name: string;
  states: (Partial<State> & { id: string; kind: string })[];
  transitions: Transition[];
  entries: Entry[];
  groups: Group[];
}

/** Canvas sizes of the editor in windows of 1280 × 800, 1440 × 900 and 1920 × 1080 pixels. */
const WINDOWS = JSON.parse(process.argv[2] ?? "{}") as Record<string, { w: number; h: number }>;
/** The margins of the view before elkjs. */
const DAGRE_MARGINS = { edge: 24, graph: 56 };

const packs = JSON.parse(readFileSync(0, "utf8")) as Pack[];
const elk = new ELK();
for (const pack of packs) {
  const whole = mapsOf(pack);
  for (const level of levelsIn(whole)) {
    const maps = graphAtLevel(whole, level);
    const name = level ? `${pack.name} ${level}` : pack.name;
    if (maps.states.size)
      for (const [width, window] of Object.entries(WINDOWS))
        await printFigures(name, maps, width, window);
  }
}

async function printFigures(
  pack: string,
  maps: GraphMaps,
  width: string,
  window: { w: number; h: number },
): Promise<void> {
  const task = layoutTaskFor(maps);
  const print = (layout: string, figures: object) => {
    console.log(JSON.stringify({ pack, states: maps.states.size, width, layout, ...figures }));
  };
  const dagre = sceneOf(maps, withoutRoutes(layoutWithDagre(task)));
  print("before", measure(dagre, window, DAGRE_MARGINS));
  const layout = await timed(task);
  const scene = sceneOf(maps, layout);
  print("after", { ...measure(scene, window), ms: layout.ms });
  for (const [name, edits] of Object.entries(editsOf(maps)))
    if (edits.length) print(name, measure(edited(maps, layout, edits), window));
}

function mapsOf(pack: Pack): GraphMaps {
  return {
    dialect: "bench",
    name: pack.name,
    entries: pack.entries,
    states: new Map(
      pack.states.map((one) => [one.id, { ...emptyState(one.id, one.kind), ...one }]),
    ),
    transitions: new Map(pack.transitions.map((one) => [one.id, one])),
    groups: pack.groups,
  };
}

/** Edits of authors that leave the states where they are. */
function editsOf(maps: GraphMaps): Record<string, Edit[]> {
  const states = [...maps.states.values()].filter((one) => !one.stateless);
  const renamed = states.slice(0, 2).map(({ id }): Edit => {
    return { type: "rename_state", id, new_id: `${id}-with-a-new-name` };
  });
  const arrows = [...maps.transitions.values()].filter((one) => one.kind === "event").slice(0, 3);
  const relabelled = arrows.map(({ id, label }): Edit => {
    return { type: "relabel", transition: id, label: `${label}Again` };
  });
  const [first, second, last] = [states[0], states[1], states.at(-1)];
  const connected: Edit[] =
    first && second && last && states.length > 2
      ? [
          { type: "connect", source: last.id, label: "NewEvent", target: first.id },
          { type: "connect", source: second.id, label: "SecondEvent", target: last.id },
        ]
      : [];
  return { renamed, relabelled, connected };
}

/** The drawing after edits, which the page shows without a new layout. */
function edited(maps: GraphMaps, layout: Layout, edits: Edit[]): Scene {
  const scene = sceneOf(maps, layout);
  let before = maps;
  for (const edit of edits) {
    for (const id of scene.arrows.keys()) scene.route(id);
    const next = applyEdits(before, [edit]);
    const places = new Map<string, Point>();
    for (const [id, renamed] of renamesBetween(before, next).states) {
      const card = scene.cards.get(id);
      if (card) places.set(renamed, card);
    }
    scene.update(next, places);
    before = next;
  }
  return scene;
}

async function timed(task: LayoutTask): Promise<Layout & { ms: number }> {
  const start = performance.now();
  const layout = await layoutGraph(task, elk);
  return { ...layout, ms: Math.round(performance.now() - start) };
}

function sceneOf(maps: GraphMaps, layout: Layout): Scene {
  const scene = new Scene();
  scene.planRoutes(layout.routes);
  scene.update(maps, layout.positions);
  return scene;
}

/** Labels of arrows and entry marks count as covered if they overlap a card or each other. */
function measure(
  scene: Scene,
  window: { w: number; h: number },
  margins?: { edge: number; graph: number },
) {
  const drawn = [...scene.arrows.values()].flatMap((one) => {
    const route = scene.route(one.id);
    return route ? [{ arrow: one, route }] : [];
  });
  const marks = scene.entryMarks();
  const pills = drawn.flatMap(({ arrow: one, route }) => {
    const label = arrowLabel(one);
    return label ? [pillRect(route.label, pillWidth(label))] : [];
  });
  pills.push(...marks.map((mark) => mark.rect));
  const covered = pills.filter(
    (pill) =>
      [...scene.cards.values()].some((card) => overlaps(pill, card)) ||
      pills.some((other) => other !== pill && overlaps(pill, other)),
  );
  const bounds = scene.bounds();
  const lengths = drawn.map(({ route }) => lengthOf(route.points));
  const lines = [...drawn, ...marks].map(({ route }) => route.points);
  return {
    labels: pills.length,
    covered: covered.length,
    crossings: crossings(lines),
    length: Math.round(lengths.reduce((sum, one) => sum + one, 0) / Math.max(1, lengths.length)),
    zoom: bounds ? Math.min(1, fitZoom(bounds, window, margins)) : 1,
    opens: bounds
      ? Math.min(1, Math.max(margins ? 0 : START_ZOOM, fitZoom(bounds, window, margins)))
      : 1,
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
