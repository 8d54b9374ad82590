/**
 * A painted part of the scene, drawn again shifted and scaled until its content changes or the
 * viewport leaves it. Copying a raster is much cheaper than painting thousands of lines.
 */

import type { Rect } from "../scene/geometry";
import type { View } from "../view/stage";
import type { Context2D } from "./painting";

/** Size beyond the viewport on each side, as a part of the viewport. */
const MARGIN = 0.25;
/** The raster is drawn scaled within this range while the zoom changes. */
const SCALE_RANGE = { least: 0.6, most: 1.7 };

type Key = readonly unknown[];

export class RasterCache {
  private readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d") as Context2D;
  private key: Key = [];
  private paintedView: View | null = null;

  /** The painted rectangle in scene units. */
  private area(): Rect {
    const { x, y, zoom, width, height } = this.paintedView as View;
    const [rimX, rimY] = [width * MARGIN, height * MARGIN];
    return {
      x: (-x - rimX) / zoom,
      y: (-y - rimY) / zoom,
      w: (width + 2 * rimX) / zoom,
      h: (height + 2 * rimY) / zoom,
    };
  }

  /** True if the raster can show this view. `sharp`: only at the zoom at which it was painted. */
  isValidFor(key: Key, view: View, bounds: Rect | null, sharp: boolean): boolean {
    const { paintedView } = this;
    if (!paintedView || paintedView.width !== view.width || paintedView.height !== view.height)
      return false;
    if (key.length !== this.key.length || key.some((one, index) => one !== this.key[index]))
      return false;
    const scale = view.zoom / paintedView.zoom;
    if (sharp ? scale !== 1 : scale < SCALE_RANGE.least || scale > SCALE_RANGE.most) return false;
    return !bounds || contains(clip(windowOf(view), bounds), this.area());
  }

  paint(key: Key, view: View, ratio: number, draw: (context: Context2D, area: Rect) => void): void {
    this.key = key;
    this.paintedView = view;
    const { x, y, zoom, width, height } = view;
    const [w, h] = [
      Math.ceil(width * (1 + 2 * MARGIN) * ratio),
      Math.ceil(height * (1 + 2 * MARGIN) * ratio),
    ];
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, w, h);
    const [left, top] = [x + width * MARGIN, y + height * MARGIN];
    this.context.setTransform(zoom * ratio, 0, 0, zoom * ratio, left * ratio, top * ratio);
    draw(this.context, this.area());
  }

  /** Draw the raster. The context must have the scene's transform. */
  drawTo(onto: Context2D, dx = 0, dy = 0): void {
    if (!this.paintedView) return;
    const { x, y, w, h } = this.area();
    onto.drawImage(this.canvas, x + dx, y + dy, w, h);
  }
}

const windowOf = ({ x, y, zoom, width, height }: View): Rect => ({
  x: -x / zoom,
  y: -y / zoom,
  w: width / zoom,
  h: height / zoom,
});

/** Limit a rectangle to the graph's bounds, because there is nothing outside them. */
function clip(rect: Rect, bounds: Rect): Rect {
  const x = Math.max(rect.x, bounds.x);
  const y = Math.max(rect.y, bounds.y);
  const w = Math.min(rect.x + rect.w, bounds.x + bounds.w) - x;
  const h = Math.min(rect.y + rect.h, bounds.y + bounds.h) - y;
  return { x, y, w, h };
}

const contains = (inner: Rect, outer: Rect): boolean =>
  inner.w <= 0 ||
  inner.h <= 0 ||
  (inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.w <= outer.x + outer.w &&
    inner.y + inner.h <= outer.y + outer.h);
