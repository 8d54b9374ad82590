/** Input and output of a layout. Plain data, because it is sent to a worker. */

import type { Point, Rect } from "../scene/geometry";

export interface LayoutCard {
  id: string;
  w: number;
  h: number;
  /** The group that holds it, if any. */
  group?: string | undefined;
  /** The size of its entry marks, which are left of the card. */
  marks?: { w: number; h: number } | undefined;
}

export interface LayoutGroup {
  id: string;
  parent: string | null;
}

export interface LayoutArrow {
  id: string;
  source: string;
  target: string;
  /** Width of the label. The gap between the two cards must hold it. */
  label: number;
  /** Arrows with the same key share a stem at their source, or at their target for a join. */
  stem?: { end: "source" | "target"; key: string } | undefined;
}

export interface LayoutTask {
  /** In file order, entry states first. */
  cards: LayoutCard[];
  arrows: LayoutArrow[];
  groups?: LayoutGroup[];
  /** Size of the canvas in pixels. It decides the direction of the layout. */
  window?: { w: number; h: number };
}

export type Positions = Map<string, Point>;

/** A route from the layout. It is valid while both cards are where the layout put them. */
export interface PlannedRoute {
  points: Point[];
  label: Point | null;
  stem: Point | null;
  source: Rect;
  target: Rect;
}

export interface Layout {
  positions: Positions;
  routes: Map<string, PlannedRoute>;
}

export const ROW_GAP = 44;
export const COLUMN_GAP = 88;
