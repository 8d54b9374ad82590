/** The size of a PNG: twice the drawing, or as much of it as browsers can paint. */

export const WANTED_SCALE = 2;
/** The longest side that every browser can paint. */
const MOST_SIDE = 16_384;
/** 200 MB of memory. */
const MOST_PIXELS = 50_000_000;

export interface RasterSize {
  width: number;
  height: number;
  scale: number;
  /** True if the drawing is too large for the wanted scale. */
  reduced: boolean;
}

export function rasterSize(width: number, height: number): RasterSize {
  const scale = Math.min(
    WANTED_SCALE,
    MOST_SIDE / Math.max(width, height),
    Math.sqrt(MOST_PIXELS / (width * height)),
  );
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
    scale,
    reduced: scale < WANTED_SCALE,
  };
}
