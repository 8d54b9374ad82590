/** Input of the painters, and shared drawing helpers. */

import type { SessionState } from "../../session";
import type { Card } from "../scene/card";
import type { Scene } from "../scene/scene";
import type { Rect } from "../scene/geometry";
import type { Colours } from "./colours";

export type Context2D = CanvasRenderingContext2D;

export interface PaintInput {
  scene: Scene;
  session: SessionState;
  colours: Colours;
  zoom: number;
  /** The part of the scene to paint. */
  area: Rect;
}

/** The states of a layer: the dragged ones or the others. */
export interface CarriedFilter {
  carried: ReadonlySet<string>;
  /** true: only dragged states and the arrows between them. false: all others. */
  carriedOnly: boolean;
}

/** Convert screen pixels to scene units. */
export const pixels = (picture: PaintInput, size: number): number => size / picture.zoom;

export function fill(context: Context2D, rects: Rect[]): void {
  for (const rect of rects) context.fillRect(rect.x, rect.y, rect.w, rect.h);
}

export function outline(context: Context2D, rects: Rect[], by: number): void {
  context.beginPath();
  for (const rect of rects)
    context.rect(rect.x - by, rect.y - by, rect.w + 2 * by, rect.h + 2 * by);
  context.stroke();
}

export function cardsIn(picture: PaintInput, part: CarriedFilter): Card[] {
  const { scene } = picture;
  const cards: Card[] = [];
  for (const id of scene.cardIndex.query(picture.area)) {
    const card = scene.cards.get(id);
    if (card && part.carried.has(id) === part.carriedOnly) cards.push(card);
  }
  return cards;
}
