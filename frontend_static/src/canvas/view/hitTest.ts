/** The element at a point, for both the near and the far view. */

import { distanceTo, sourceHandle } from "../scene/arrowPath";
import type { Scene } from "../scene/scene";
import { contains, distanceToSegment, middle, right, type Point } from "../scene/geometry";
import { PILL_HEIGHT, pillWidth } from "../scene/cardSizes";
import { arrowLabel } from "../scene/arrowLabel";

export type Hit =
  | { kind: "port"; state: string }
  | { kind: "end"; transition: string; end: "source" | "target" }
  | { kind: "state"; id: string }
  | { kind: "transition"; id: string }
  | { kind: "empty" };

/** Below this zoom cards cannot be read and are painted instead. */
const FAR_ZOOM = 0.45;
/** Graphs this small keep their cards at a lower zoom because they are cheap. */
export const FEW_STATES = 80;
const FAR_ZOOM_OF_FEW = 0.3;
export const farZoom = (count: number): number =>
  count <= FEW_STATES ? FAR_ZOOM_OF_FEW : FAR_ZOOM;
/** Below this zoom arrows are painted as straight lines. */
export const STRAIGHT_ZOOM = 0.2;

const PORT_RADIUS = 12;
/** Minimum radius of a port in screen pixels, at every zoom. */
const MIN_PORT_PIXELS = 8;
const END_RADIUS = 10;
const LINE_REACH = 7;

export function hitTest(
  scene: Scene,
  point: Point,
  zoom: number,
  selection: ReadonlySet<string>,
): Hit {
  const near = isNear(scene, zoom);
  return (
    (near && (endAt(scene, point, selection) ?? portAt(scene, point, zoom))) ||
    stateAt(scene, point) ||
    transitionAt(scene, point, zoom) || { kind: "empty" }
  );
}

/** The arrow at a point where no card lies except the dragged one. */
export function arrowAt(scene: Scene, point: Point, zoom: number, dragged?: string): string | null {
  const state = stateAt(scene, point, dragged);
  const hit = state ? null : transitionAt(scene, point, zoom);
  return hit?.kind === "transition" ? hit.id : null;
}

const isNear = (scene: Scene, zoom: number) => zoom >= farZoom(scene.cards.size);

function endAt(scene: Scene, point: Point, selection: ReadonlySet<string>): Hit | null {
  for (const element of selection) {
    if (!element.startsWith("transition:")) continue;
    const id = element.slice(11);
    const route = scene.route(id);
    if (!route) continue;
    if (Math.hypot(point.x - route.tip.x, point.y - route.tip.y) < END_RADIUS)
      return { kind: "end", transition: id, end: "target" };
    const handle = sourceHandle(route);
    if (Math.hypot(point.x - handle.x, point.y - handle.y) < END_RADIUS)
      return { kind: "end", transition: id, end: "source" };
  }
  return null;
}

/** Only the right port counts: pressing the left edge moves the card. */
function portAt(scene: Scene, point: Point, zoom: number): Hit | null {
  const reach = Math.max(PORT_RADIUS, MIN_PORT_PIXELS / zoom);
  for (const id of cardsAround(scene, point, reach)) {
    const card = scene.cards.get(id);
    if (!card?.state || card.state.stateless) continue;
    if (Math.hypot(point.x - right(card), point.y - middle(card).y) <= reach)
      return { kind: "port", state: id };
  }
  return null;
}

const cardsAround = (scene: Scene, point: Point, by: number) =>
  scene.cardIndex.query({ x: point.x - by, y: point.y - by, w: 2 * by, h: 2 * by });

function stateAt(scene: Scene, point: Point, except?: string): Hit | null {
  const ids = cardsAround(scene, point, 0.5).filter((id) => {
    const card = scene.cards.get(id);
    return id !== except && card?.state && contains(card, point.x, point.y);
  });
  const id = ids.at(-1);
  return id === undefined ? null : { kind: "state", id };
}

function transitionAt(scene: Scene, point: Point, zoom: number): Hit | null {
  const reach = Math.max(LINE_REACH, LINE_REACH / zoom);
  const area = { x: point.x - reach, y: point.y - reach, w: 2 * reach, h: 2 * reach };
  let [best, nearest] = [reach, null as string | null];
  for (const id of scene.arrowIndex.query(area)) {
    const distance =
      zoom < STRAIGHT_ZOOM
        ? distanceToStraightLine(scene, id, point)
        : distanceToArrow(scene, id, point, zoom);
    if (distance < best) [best, nearest] = [distance, id];
  }
  return nearest === null ? null : { kind: "transition", id: nearest };
}

function distanceToArrow(scene: Scene, id: string, point: Point, zoom: number): number {
  const route = scene.route(id);
  const arrow = scene.arrows.get(id);
  if (!route || !arrow) return Infinity;
  const width = pillWidth(arrowLabel(arrow));
  const inPill =
    isNear(scene, zoom) &&
    Math.abs(point.x - route.label.x) <= width / 2 &&
    Math.abs(point.y - route.label.y) <= PILL_HEIGHT / 2;
  return inPill ? 0 : distanceTo(route, point);
}

function distanceToStraightLine(scene: Scene, id: string, point: Point): number {
  const arrow = scene.arrows.get(id);
  const source = arrow && scene.cards.get(arrow.source);
  const target = arrow && scene.cards.get(arrow.target);
  if (!source || !target) return Infinity;
  return distanceToSegment(point, middle(source), middle(target));
}
