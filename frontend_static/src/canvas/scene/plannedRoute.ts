/**
 * The route of an arrow, or of the line from an entry's dot, as it is stored with the positions. It
 * holds as long as both cards are where they were when it was drawn.
 */

import type { StoredRoute } from "../../session";
import { sameRect, type Point, type Rect } from "./geometry";

export interface PlannedRoute {
  points: Point[];
  label: Point | null;
  source: Rect;
  target: Rect;
}

export const holds = (plan: PlannedRoute, source: Rect, target: Rect): boolean =>
  sameRect(plan.source, source) && sameRect(plan.target, target);

/** A stored route has tenths, so a drawn one has them too and is the same after a reload. */
const round = (value: number): number => Math.round(value * 10) / 10;
export const rounded = ({ x, y }: Point): Point => ({ x: round(x), y: round(y) });

const pair = (point: Point): number[] => [round(point.x), round(point.y)];
const corners = ({ x, y, w, h }: Rect): number[] => [x, y, w, h];

export const toStored = ({ points, label, source, target }: PlannedRoute): StoredRoute => ({
  points: points.map(pair),
  label: label && pair(label),
  source: corners(source),
  target: corners(target),
});

const toPoint = ([x = 0, y = 0]: readonly number[]): Point => ({ x, y });
const toRect = ([x = 0, y = 0, w = 0, h = 0]: readonly number[]): Rect => ({ x, y, w, h });

export const fromStored = ({ points, label, source, target }: StoredRoute): PlannedRoute => ({
  points: points.map(toPoint),
  label: label && toPoint(label),
  source: toRect(source),
  target: toRect(target),
});
