/** Zoom and offset with which a graph opens. */

import type { Rect } from "../scene/geometry";

/** A small graph never opens smaller than this. */
export const START_ZOOM = 0.7;
/** Pixels at the edge of the canvas, and scene space for entry marks and badges. */
const MARGINS = { edge: 12, graph: 40 };

export function fitZoom(
  rect: Rect,
  window: { w: number; h: number },
  margins: { edge: number; graph: number } = MARGINS,
): number {
  return Math.min(
    (window.w - 2 * margins.edge) / (rect.w + 2 * margins.graph),
    (window.h - 2 * margins.edge) / (rect.h + 2 * margins.graph),
  );
}

/**
 * The pan along one axis: the whole graph in the middle if it fits, else its beginning or, where
 * the start is further in, the start.
 */
export function startOffset(window: number, from: number, length: number, start: number): number {
  const edge = MARGINS.graph + MARGINS.edge;
  const room = window - 2 * edge;
  if (length * START_ZOOM <= room) return window / 2 - (from + length / 2) * START_ZOOM;
  const isNearEdge = (start - from) * START_ZOOM < room / 2;
  return isNearEdge ? edge - from * START_ZOOM : window / 3 - start * START_ZOOM;
}
