/** Paint what changes from frame to frame: selection, hover and the position of the run. */

import type { Rect } from "../scene/geometry";
import { strokeArrows } from "./arrows";
import { outline, pixels, type Context2D, type PaintInput } from "./painting";

export interface HighlightInput {
  hovered: string | null;
  carry: { ids: ReadonlySet<string>; dx: number; dy: number };
  /** 0 to 1, the phase of the pulsing outline. */
  pulse: number;
  /** The selection is large and already painted in the static layer. */
  selectionInStaticLayer: boolean;
}

export function paintHighlights(
  context: Context2D,
  picture: PaintInput,
  moment: HighlightInput,
): void {
  const { session, colours } = picture;
  const { overlay } = session;
  // Wider than the selection, which may have the same elements.
  paintElements(context, picture, moment.carry, session.conflictElements, colours.warning, 6);
  if (!moment.selectionInStaticLayer) paintSelection(context, picture, moment.carry);
  paintHover(context, picture, moment);
  if (!overlay) return;
  if (overlay.lastTaken)
    strokeArrows(context, picture, [...overlay.lastTaken.keys()], colours.ok, 2.5);
  context.globalAlpha = 0.35 + 0.65 * moment.pulse;
  outlineStates(context, picture, moment.carry, overlay.active, colours.ok);
  context.globalAlpha = 1;
  outlineStates(context, picture, moment.carry, overlay.waiting, colours.warning);
  outlineStates(context, picture, moment.carry, overlay.failed, colours.error);
  outlineStates(context, picture, moment.carry, overlay.halted ?? [], colours.error);
}

type Carry = HighlightInput["carry"];
export const NO_CARRY: Carry = { ids: new Set(), dx: 0, dy: 0 };

export function paintSelection(context: Context2D, picture: PaintInput, carry: Carry): void {
  const { session, colours } = picture;
  paintElements(context, picture, carry, session.selection, colours.accent, 2.5);
}

/** Outline states and stroke transitions in this width. Other elements are not drawn. */
function paintElements(
  context: Context2D,
  picture: PaintInput,
  carry: Carry,
  elements: Iterable<string>,
  colour: string,
  width: number,
): void {
  const states: string[] = [];
  const arrows: string[] = [];
  for (const element of elements)
    if (element.startsWith("state:")) states.push(element.slice(6));
    else if (element.startsWith("transition:")) arrows.push(element.slice(11));
  if (arrows.length) strokeArrows(context, picture, arrows, colour, width);
  outlineStates(context, picture, carry, states, colour, 2, Math.max(2, width - 1));
}

function paintHover(
  context: Context2D,
  picture: PaintInput,
  { hovered, carry }: HighlightInput,
): void {
  if (hovered?.startsWith("state:"))
    outlineStates(context, picture, carry, [hovered.slice(6)], picture.colours.text, 1.5, 1);
  if (hovered?.startsWith("transition:"))
    strokeArrows(context, picture, [hovered.slice(11)], picture.colours.text, 2);
}

function outlineStates(
  context: Context2D,
  picture: PaintInput,
  carry: Carry,
  ids: Iterable<string>,
  colour: string,
  width = 3,
  by = 3,
): void {
  const rects: Rect[] = [];
  for (const id of ids) {
    const card = picture.scene.cards.get(id);
    if (!card) continue;
    const moved = carry.ids.has(id);
    rects.push(moved ? { ...card, x: card.x + carry.dx, y: card.y + carry.dy } : card);
  }
  if (!rects.length) return;
  context.strokeStyle = colour;
  context.lineWidth = pixels(picture, width);
  outline(context, rects, pixels(picture, by));
}
