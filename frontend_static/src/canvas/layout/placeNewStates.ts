/** Places for newcomers in a graph that already stands: right of what leads to them. */

import type { GraphMaps } from "../../session";
import type { Scene } from "../scene/scene";
import type { Point, Rect } from "../scene/geometry";
import { sizeOf } from "../scene/cardSizes";
import { placeSpawned } from "./placeSpawned";
import { COLUMN_GAP, ROW_GAP } from "./layoutTask";

export function placeNewStates(
  scene: Scene,
  graph: GraphMaps,
  missing: string[],
  known: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  const wanted = missing.filter((id) => !known.has(id));
  if (!wanted.length) return known;
  const places = new Map(known);
  const taken: Rect[] = [];
  const where = placesOf(scene, graph);
  const links = linksOf(graph, new Set(wanted));
  for (const id of wanted) {
    const state = graph.states.get(id);
    if (!state) continue;
    const size = sizeOf(state);
    const parent = where.get(graph.addedBy?.[id] ?? "");
    const point = parent
      ? placeSpawned(scene, parent, size, taken)
      : freePosition(scene, { ...wantedPosition(links.get(id), where, scene), ...size }, taken);
    places.set(id, point);
    where.set(id, { ...point, ...size });
    taken.push({ ...point, ...size });
  }
  return places;
}

interface Links {
  from: string[];
  to: string[];
}

function linksOf(graph: GraphMaps, wanted: ReadonlySet<string>): Map<string, Links> {
  const links = new Map<string, Links>();
  for (const id of wanted) links.set(id, { from: [], to: [] });
  for (const arrow of graph.transitions.values()) {
    links.get(arrow.target)?.from.push(arrow.source);
    links.get(arrow.source)?.to.push(arrow.target);
  }
  return links;
}

function placesOf(scene: Scene, graph: GraphMaps): Map<string, Rect> {
  const where = new Map<string, Rect>();
  for (const state of graph.states.values()) {
    const box = scene.boxes.get(state.id);
    if (state.x !== null && state.y !== null)
      where.set(state.id, { x: state.x, y: state.y, ...sizeOf(state) });
    else if (box) where.set(state.id, box);
  }
  return where;
}

function wantedPosition(links: Links | undefined, where: Map<string, Rect>, scene: Scene): Point {
  const before = (links?.from ?? []).flatMap((id) => where.get(id) ?? []);
  const after = (links?.to ?? []).flatMap((id) => where.get(id) ?? []);
  const mean = (rects: Rect[]) => rects.reduce((sum, rect) => sum + rect.y, 0) / rects.length;
  if (before.length)
    return { x: Math.max(...before.map((r) => r.x + r.w)) + COLUMN_GAP, y: mean(before) };
  if (after.length)
    return { x: Math.min(...after.map((r) => r.x)) - 208 - COLUMN_GAP, y: mean(after) };
  const all = scene.bounds();
  return all ? { x: all.x, y: all.y + all.h + ROW_GAP } : { x: 0, y: 0 };
}

function freePosition(scene: Scene, wish: Rect, taken: Rect[]): Point {
  let rect = wish;
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const spot = scene.freeSpot(rect);
    const clash = taken.find(
      (other) =>
        spot.x < other.x + other.w + 8 &&
        other.x < spot.x + wish.w + 8 &&
        spot.y < other.y + other.h + 8 &&
        other.y < spot.y + wish.h + 8,
    );
    if (!clash) return spot;
    rect = { ...rect, y: clash.y + clash.h + ROW_GAP / 2 };
  }
  return { x: rect.x, y: rect.y };
}
