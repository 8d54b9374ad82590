/**
 * Orthogonal routes of arrows that the layout has not routed: new ones, and those of moved cards.
 * Like the routes of the layout they keep clear of cards, labels and other lines.
 */

import { padded, overlaps, union, type Point, type Rect } from "../geometry";
import { PILL_HEIGHT } from "../cardSizes";
import { endAt, endsOf, type Direction, type End } from "./ends";
import { linesOf, segmentRect, within, type Field, type Line } from "./field";
import { labelRect, labelPlace } from "./labelPlace";
import { searchRoute } from "./search";

export interface FreeRoute {
  points: Point[];
  label: Point;
}

export interface RouteRequest {
  source: Rect;
  target: Rect;
  /** Width of the label; 0 for none. */
  label: number;
  /** The port of other arrows, if the arrow shares its start or end with them. */
  shared?: { end: "source" | "target"; port: Point } | undefined;
  isLoop: boolean;
}

/** Scene space around both cards in which a line is searched: first a little, then more. */
const REACH = [90, 320];
/** Further attempts where the label of the first line has no place. */
interface Attempt {
  /** More distance to cards and labels, which makes room for a label. */
  spread: number;
  /** Leave and arrive at the top or the bottom, because the gap between the cards is too narrow. */
  upright: boolean;
}
const ATTEMPTS: Attempt[] = [
  { spread: 0, upright: false },
  { spread: 14, upright: false },
  { spread: 14, upright: true },
];
const MOST_LOOPS = 4;
const LOOP = { half: 26, height: 30, step: 22 };

/** null if no line between both cards is clear of cards. */
export function freeRoute(request: RouteRequest, field: Field): FreeRoute | null {
  if (request.isLoop) return loop(request, field);
  let fallback: FreeRoute | null = null;
  for (const reach of REACH) {
    const area = padded(union([request.source, request.target]) as Rect, reach);
    const near = within(field, area);
    for (const attempt of request.label ? ATTEMPTS : ATTEMPTS.slice(0, 1)) {
      const points = search(request, near, area, attempt);
      if (!points) continue;
      const spot = labelPlace(points, request.label, near);
      if (spot.free || !request.label) return { points, label: spot.at };
      fallback ??= { points, label: spot.at };
    }
  }
  return fallback;
}

function search(
  request: RouteRequest,
  field: Field,
  area: Rect,
  { spread, upright }: Attempt,
): Point[] | null {
  const [starts, goals] = (["source", "target"] as const).map((role) => {
    const all = ends(request, role, field.lines);
    return upright && request.shared?.end !== role ? all.filter((end) => end.out % 2 === 1) : all;
  }) as [End[], End[]];
  const own = [request.source, request.target];
  const isOwn = (one: Rect) => own.some((card) => card.x === one.x && card.y === one.y);
  const solids = field.solids.map((one) => (spread && !isOwn(one) ? padded(one, spread) : one));
  const labels = spread
    ? field.labels.map((one) => padded(one, PILL_HEIGHT / 2 + 3))
    : field.labels;
  return searchRoute(starts, goals, { ...field, solids, labels }, area);
}

function ends(request: RouteRequest, role: "source" | "target", lines: readonly Line[]): End[] {
  const { shared } = request;
  if (shared?.end !== role) return endsOf(request[role], role, lines);
  return [endAt(shared.port, sideOf(request[role], shared.port))];
}

function sideOf(card: Rect, { x, y }: Point): Direction {
  if (Math.abs(x - card.x - card.w) < 1) return 0;
  if (Math.abs(y - card.y - card.h) < 1) return 1;
  return Math.abs(x - card.x) < 1 ? 2 : 3;
}

/** A loop above the card, or where that is free below it or further away. */
function loop({ source, label }: RouteRequest, field: Field): FreeRoute {
  const others = field.solids.filter((one) => one.x !== source.x || one.y !== source.y);
  const lines = field.lines.map(({ from, to }) => segmentRect(from, to));
  const costOf = ({ points, label: at }: FreeRoute): number => {
    const own = linesOf("", points).map(({ from, to }) => segmentRect(from, to));
    const labelHits = label ? hits([labelRect(at, label)], [...others, ...field.labels]) : 0;
    const crossed = hits(own, lines) + (label ? hits([labelRect(at, label)], lines) : 0);
    return 100 * (labelHits + hits(own, [...others, ...field.labels])) + crossed;
  };
  let best = loopAt(source, -1, 0);
  let least = costOf(best);
  for (let level = 0; level < MOST_LOOPS && least > 0; level += 1)
    for (const side of [-1, 1]) {
      const candidate = loopAt(source, side, level);
      const cost = costOf(candidate) + level;
      if (cost < least) [best, least] = [candidate, cost];
    }
  return best;
}

const hits = (own: readonly Rect[], others: readonly Rect[]): number =>
  own.reduce((sum, rect) => sum + others.filter((one) => overlaps(rect, one)).length, 0);

function loopAt(card: Rect, side: number, level: number): FreeRoute {
  const x = card.x + card.w / 2;
  const edge = side < 0 ? card.y : card.y + card.h;
  const half = LOOP.half + 10 * level;
  const y = edge + side * (LOOP.height + LOOP.step * level);
  const points = [
    { x: x + half, y: edge },
    { x: x + half, y },
    { x: x - half, y },
    { x: x - half, y: edge },
  ];
  return { points, label: { x, y } };
}
