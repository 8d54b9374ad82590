/** The animated change of a view. One glide at a time; the person's own move ends it. */

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

const GLIDE_MS = 260;
let frame = 0;

export function glide(from: Viewport, to: Viewport, show: (view: Viewport) => void): void {
  stopGlide();
  let began: number | null = null;
  const step = (now: number) => {
    began ??= now;
    const part = Math.min(1, (now - began) / GLIDE_MS);
    if (part < 1) frame = requestAnimationFrame(step);
    show(part < 1 ? viewBetween(from, to, eased(part)) : to);
  };
  frame = requestAnimationFrame(step);
}

export function stopGlide(): void {
  cancelAnimationFrame(frame);
}

/** Slow at both ends. */
const eased = (part: number): number => (part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2);

/**
 * The view at a part of the way. The zoom changes at an even rate, and a point that is at the same
 * place in both views stays there.
 */
export function viewBetween(from: Viewport, to: Viewport, part: number): Viewport {
  const zoom = from.zoom * (to.zoom / from.zoom) ** part;
  const [start, end] = [1 / from.zoom, 1 / to.zoom];
  const way = start === end ? part : (1 / zoom - start) / (end - start);
  const along = (a: number, b: number) => (a * start + way * (b * end - a * start)) * zoom;
  return { x: along(from.x, to.x), y: along(from.y, to.y), zoom };
}
