/** Paints what changes from frame to frame: selection, what the pointer is over, where the run is. */

import type { Rect } from "../scene/geometry";
import { strokeArrows } from "./arrows";
import { outline, pixel, type Context, type Picture } from "./painting";

export interface Moment {
  hovered: string | null;
  carry: { ids: ReadonlySet<string>; dx: number; dy: number };
  /** 0…1, for the glow that breathes. */
  breath: number;
  /** The selection is large and already painted on the ground. */
  selectionBelow: boolean;
}

export function paintMarks(context: Context, picture: Picture, moment: Moment): void {
  const { session, colours } = picture;
  const { overlay } = session;
  if (!moment.selectionBelow) paintSelection(context, picture, moment.carry);
  paintHover(context, picture, moment);
  if (!overlay) return;
  if (overlay.last) strokeArrows(context, picture, [...overlay.last.keys()], colours.ok, 2.5);
  context.globalAlpha = 0.35 + 0.65 * moment.breath;
  ring(context, picture, moment.carry, overlay.active, colours.ok);
  context.globalAlpha = 1;
  ring(context, picture, moment.carry, overlay.waiting, colours.warning);
  ring(context, picture, moment.carry, overlay.failed, colours.error);
}

type Carry = Moment["carry"];
export const NO_CARRY: Carry = { ids: new Set(), dx: 0, dy: 0 };

export function paintSelection(context: Context, picture: Picture, carry: Carry): void {
  const { selection } = picture.session;
  const states: string[] = [];
  const arrows: string[] = [];
  for (const element of selection)
    if (element.startsWith("state:")) states.push(element.slice(6));
    else if (element.startsWith("transition:")) arrows.push(element.slice(11));
  if (arrows.length) strokeArrows(context, picture, arrows, picture.colours.accent, 2.5);
  ring(context, picture, carry, states, picture.colours.accent, 2, 2);
}

function paintHover(context: Context, picture: Picture, { hovered, carry }: Moment): void {
  if (hovered?.startsWith("state:"))
    ring(context, picture, carry, [hovered.slice(6)], picture.colours.text, 1.5, 1);
  if (hovered?.startsWith("transition:"))
    strokeArrows(context, picture, [hovered.slice(11)], picture.colours.text, 2);
}

function ring(
  context: Context,
  picture: Picture,
  carry: Carry,
  ids: Iterable<string>,
  colour: string,
  width = 3,
  by = 3,
): void {
  const rects: Rect[] = [];
  for (const id of ids) {
    const box = picture.scene.boxes.get(id);
    if (!box) continue;
    const moved = carry.ids.has(id);
    rects.push(moved ? { ...box, x: box.x + carry.dx, y: box.y + carry.dy } : box);
  }
  if (!rects.length) return;
  context.strokeStyle = colour;
  context.lineWidth = pixel(picture, width);
  outline(context, rects, pixel(picture, by));
}
