/** Geometry of one arrow: straight segments with round corners, or one curve. */

import { distanceToSegment, type Point } from "./geometry";

export interface Route {
  /** SVG path of the line, without its head. */
  d: string;
  /** The path as straight segments, for hit tests, the far view and the travelling dot. */
  points: Point[];
  label: Point;
  tip: Point;
  /** Direction of the head in degrees; 0 points right. */
  angle: 0 | 90 | 180 | 270;
  start: Point;
  /** Where arrows with a common stem part, or where branches meet before their join. */
  stem: Point | null;
}

const CORNER_RADIUS = 10;
const CURVE_SEGMENTS = 12;
const HEAD_LENGTH = 8;

/** The head of an arrow for each direction, with its point at the origin. */
export const HEAD_PATHS: Record<Route["angle"], string> = {
  0: `M0 0L${-HEAD_LENGTH} -4.5L${-HEAD_LENGTH + 1.5} 0L${-HEAD_LENGTH} 4.5Z`,
  90: `M0 0L-4.5 ${-HEAD_LENGTH}L0 ${-HEAD_LENGTH + 1.5}L4.5 ${-HEAD_LENGTH}Z`,
  180: `M0 0L${HEAD_LENGTH} -4.5L${HEAD_LENGTH - 1.5} 0L${HEAD_LENGTH} 4.5Z`,
  270: `M0 0L-4.5 ${HEAD_LENGTH}L0 ${HEAD_LENGTH - 1.5}L4.5 ${HEAD_LENGTH}Z`,
};

const round = (value: number) => Math.round(value * 10) / 10;
const text = (point: Point) => `${round(point.x)} ${round(point.y)}`;

/**
 * A line through these points with rounded corners. By default the label sits in the middle of the
 * longest segment.
 */
export function polyline(points: Point[], angle: Route["angle"], label?: Point): Route {
  const [start, tip] = [points[0] as Point, points.at(-1) as Point];
  const ending = beforeHead(tip, angle);
  const corners = [...points.slice(0, -1), ending];
  let d = `M${text(start)}`;
  for (let index = 1; index < corners.length - 1; index += 1) {
    const [a, b, c] = [corners[index - 1], corners[index], corners[index + 1]] as [
      Point,
      Point,
      Point,
    ];
    d += `L${text(cornerStart(b, a))}Q${text(b)} ${text(cornerStart(b, c))}`;
  }
  d += `L${text(ending)}`;
  return makeRoute(d, points, angle, label ?? middleOfLongestRun(points));
}

/** The direction of the last segment. */
export function headAngle(points: readonly Point[]): Route["angle"] {
  const [a, b] = [points.at(-2) as Point, points.at(-1) as Point];
  if (Math.abs(b.x - a.x) >= Math.abs(b.y - a.y)) return b.x >= a.x ? 0 : 180;
  return b.y >= a.y ? 90 : 270;
}

function cornerStart(corner: Point, other: Point): Point {
  const length = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = length ? Math.min(CORNER_RADIUS, length / 2) / length : 0;
  return { x: corner.x + (other.x - corner.x) * part, y: corner.y + (other.y - corner.y) * part };
}

function middleOfLongestRun(points: Point[]): Point {
  let [best, middle] = [-1, points[0] as Point];
  for (let index = 1; index < points.length; index += 1) {
    const [a, b] = [points[index - 1], points[index]] as [Point, Point];
    const length = Math.hypot(a.x - b.x, a.y - b.y);
    if (length > best) [best, middle] = [length, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }];
  }
  return middle;
}

/**
 * A curve from `start` to `tip`. With `from`, a straight stem leads to its start; with `to`, a
 * straight stem follows its end.
 */
export function curve(
  start: Point,
  one: Point,
  two: Point,
  tip: Point,
  angle: Route["angle"],
  straight: { from?: Point | undefined; to?: Point | undefined } = {},
): Route {
  const { from, to } = straight;
  const ending = to ? tip : beforeHead(tip, angle);
  const lead = from ? `M${text(from)}L${text(start)}` : `M${text(start)}`;
  const rest = to ? `L${text(beforeHead(to, angle))}` : "";
  const points: Point[] = from ? [from] : [];
  for (let piece = 0; piece <= CURVE_SEGMENTS; piece += 1)
    points.push(bezier(start, one, two, tip, piece / CURVE_SEGMENTS));
  if (to) points.push(to);
  const d = `${lead}C${text(one)} ${text(two)} ${text(ending)}${rest}`;
  return makeRoute(
    d,
    points,
    angle,
    bezier(start, one, two, tip, 0.5),
    from ? start : to ? tip : null,
  );
}

export function bezier(a: Point, b: Point, c: Point, d: Point, t: number): Point {
  const u = 1 - t;
  const [p, q, r, s] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return { x: p * a.x + q * b.x + r * c.x + s * d.x, y: p * a.y + q * b.y + r * c.y + s * d.y };
}

/** The line ends inside the head so that it does not show at the point. */
function beforeHead(tip: Point, angle: Route["angle"]): Point {
  const back = HEAD_LENGTH - 2;
  const turned: Record<Route["angle"], Point> = {
    0: { x: -back, y: 0 },
    90: { x: 0, y: -back },
    180: { x: back, y: 0 },
    270: { x: 0, y: back },
  };
  return { x: tip.x + turned[angle].x, y: tip.y + turned[angle].y };
}

function makeRoute(
  d: string,
  points: Point[],
  angle: Route["angle"],
  label: Point,
  stem: Point | null = null,
): Route {
  const [start, tip] = [points[0] as Point, points.at(-1) as Point];
  return { d, points, label, tip, angle, start, stem };
}

/**
 * Distance of a selected arrow's source handle from the arrow's start, so that it does not cover
 * the card's port.
 */
const SOURCE_HANDLE_DISTANCE = 24;

/** The point at which a selected arrow's start can be dragged to another card. */
export function sourceHandle(route: Route): Point {
  let remaining = SOURCE_HANDLE_DISTANCE;
  for (let index = 1; index < route.points.length; index += 1) {
    const [a, b] = [route.points[index - 1], route.points[index]] as [Point, Point];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (length >= remaining) {
      const part = remaining / length;
      return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
    }
    remaining -= length;
  }
  return route.start;
}

export function distanceTo(route: Route, point: Point): number {
  let best = Infinity;
  for (let index = 1; index < route.points.length; index += 1) {
    const [a, b] = [route.points[index - 1], route.points[index]] as [Point, Point];
    best = Math.min(best, distanceToSegment(point, a, b));
  }
  return best;
}
