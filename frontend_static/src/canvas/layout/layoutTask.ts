/** Input and output of a layout. Plain data, because it is sent to a worker. */

import type { PlannedRoute } from "../scene/plannedRoute";
import type { Point } from "../scene/geometry";

export interface LayoutCard {
  id: string;
  w: number;
  h: number;
  /** The group that holds it, if any. */
  group?: string | undefined;
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

/** The dot of an entry, with its text. */
export interface LayoutEntry {
  id: string;
  state: string;
  /** Width of the text; 0 for none. */
  text: number;
}

export interface LayoutTask {
  /** In file order, entry states first. */
  cards: LayoutCard[];
  arrows: LayoutArrow[];
  groups?: LayoutGroup[];
  entries?: LayoutEntry[];
}

export type Positions = Map<string, Point>;

export interface Layout {
  positions: Positions;
  /** The routes of arrows and of the lines from the dots of entries, by their ids. */
  routes: Map<string, PlannedRoute>;
}

/** A layout that routes no arrows. */
export const withoutRoutes = (positions: Positions): Layout => ({
  positions,
  routes: new Map(),
});

export const ROW_GAP = 44;
export const COLUMN_GAP = 88;
