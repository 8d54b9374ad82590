/** Zoom and offset with which a graph opens. */

import type { Rect } from "../scene/geometry";

/** A small graph never opens smaller than this. */
export const START_ZOOM = 0.7;
/** Pixels at the edge of the canvas, and scene space for badges. */
const MARGINS = { edge: 12, graph: 20 };

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

/** Size of the view buttons in the lower left corner, with a gap, in pixels. */
const BUTTONS = { w: 200, h: 52 };

/** The view that has a rectangle in its middle. The view buttons cover no card if there is room. */
export function fittedView(
  rect: Rect,
  window: { w: number; h: number },
  zoomLimits: { least: number; most: number },
  cards: Iterable<Rect>,
): { x: number; y: number; zoom: number } {
  const within = (h: number) => {
    const fitting = fitZoom(rect, { w: window.w, h });
    const zoom = Math.max(zoomLimits.least, Math.min(zoomLimits.most, fitting));
    const x = window.w / 2 - (rect.x + rect.w / 2) * zoom;
    const y = h / 2 - (rect.y + rect.h / 2) * zoom;
    return { x, y, zoom };
  };
  const view = within(window.h);
  for (const card of cards)
    if (isUnderButtons(card, window, view)) return within(window.h - BUTTONS.h);
  return view;
}

function isUnderButtons(
  card: Rect,
  window: { h: number },
  { x, y, zoom }: { x: number; y: number; zoom: number },
): boolean {
  const right = (card.x + card.w) * zoom + x;
  const bottom = (card.y + card.h) * zoom + y;
  const isLeft = right > 0 && card.x * zoom + x < BUTTONS.w;
  return isLeft && bottom > window.h - BUTTONS.h && card.y * zoom + y < window.h;
}

/**
 * The least pan along one axis that brings `length` pixels at `from` into the window, at least
 * `margin` from its edge. Something longer than the window is shown from its start.
 */
export function leastPan(window: number, from: number, length: number, margin = 24): number {
  const room = Math.max(0, Math.min(margin, (window - length) / 2));
  if (from < room || length > window) return room - from;
  return Math.min(0, window - room - (from + length));
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
