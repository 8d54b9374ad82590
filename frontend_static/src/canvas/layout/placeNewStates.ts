/**
 * Positions for new states in a graph that is already laid out: to the right of their predecessors.
 */

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
  const toPlace = missing.filter((id) => !known.has(id));
  if (!toPlace.length) return known;
  const positions = new Map(known);
  const occupied: Rect[] = [];
  const rects = placesOf(scene, graph);
  const links = linksOf(graph, new Set(toPlace));
  for (const id of toPlace) {
    const state = graph.states.get(id);
    if (!state) continue;
    const size = sizeOf(state);
    const parent = rects.get(graph.addedBy?.[id] ?? "");
    const point =
      scene.takeWantedPlace(id, size, occupied) ??
      (parent
        ? placeSpawned(scene, parent, size, occupied)
        : freePosition(
            scene,
            { ...wantedPosition(links.get(id), rects, scene), ...size },
            occupied,
          ));
    positions.set(id, point);
    rects.set(id, { ...point, ...size });
    occupied.push({ ...point, ...size });
  }
  return positions;
}

interface Links {
  from: string[];
  to: string[];
}

function linksOf(graph: GraphMaps, ids: ReadonlySet<string>): Map<string, Links> {
  const links = new Map<string, Links>();
  for (const id of ids) links.set(id, { from: [], to: [] });
  for (const arrow of graph.transitions.values()) {
    links.get(arrow.target)?.from.push(arrow.source);
    links.get(arrow.source)?.to.push(arrow.target);
  }
  return links;
}

function placesOf(scene: Scene, graph: GraphMaps): Map<string, Rect> {
  const rects = new Map<string, Rect>();
  for (const state of graph.states.values()) {
    const card = scene.cards.get(state.id);
    if (state.x !== null && state.y !== null)
      rects.set(state.id, { x: state.x, y: state.y, ...sizeOf(state) });
    else if (card) rects.set(state.id, card);
  }
  return rects;
}

function wantedPosition(links: Links | undefined, rects: Map<string, Rect>, scene: Scene): Point {
  const before = (links?.from ?? []).flatMap((id) => rects.get(id) ?? []);
  const after = (links?.to ?? []).flatMap((id) => rects.get(id) ?? []);
  const mean = (rects: Rect[]) => rects.reduce((sum, rect) => sum + rect.y, 0) / rects.length;
  if (before.length)
    return { x: Math.max(...before.map((r) => r.x + r.w)) + COLUMN_GAP, y: mean(before) };
  if (after.length)
    return { x: Math.min(...after.map((r) => r.x)) - 208 - COLUMN_GAP, y: mean(after) };
  const all = scene.bounds();
  return all ? { x: all.x, y: all.y + all.h + ROW_GAP } : { x: 0, y: 0 };
}

function freePosition(scene: Scene, wanted: Rect, occupied: Rect[]): Point {
  let rect = wanted;
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const spot = scene.freeSpot(rect);
    const clash = occupied.find(
      (other) =>
        spot.x < other.x + other.w + 8 &&
        other.x < spot.x + wanted.w + 8 &&
        spot.y < other.y + other.h + 8 &&
        other.y < spot.y + wanted.h + 8,
    );
    if (!clash) return spot;
    rect = { ...rect, y: clash.y + clash.h + ROW_GAP / 2 };
  }
  return { x: rect.x, y: rect.y };
}
