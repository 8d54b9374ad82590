/**
 * Paint arrows. All arrows of a style share one stroke call because stroke calls dominate the cost.
 */

import { middle } from "../scene/geometry";
import { isDashed } from "../scene/arrowStyle";
import { STRAIGHT_ZOOM } from "../view/hitTest";
import { diffColours, type Colours } from "./colours";
import { pixels, type Context2D, type CarriedFilter, type PaintInput } from "./painting";

/** In painting order: the most important style is painted last. */
const STYLES = [
  "plain",
  "dashed",
  "muted",
  "warning",
  "error",
  "changed",
  "renamed",
  "added",
  "removed",
  "taken",
] as const;
type Style = (typeof STYLES)[number];

/** Styles of the difference that is shown. */
const WIDE: ReadonlySet<Style> = new Set(["taken", "changed", "renamed", "added", "removed"]);
const DASHED: ReadonlySet<Style> = new Set(["dashed", "added", "removed"]);

const colourOf = (style: Style, colours: Colours): string =>
  ({
    ...diffColours(colours),
    plain: colours.strong,
    dashed: colours.strong,
    muted: colours.line,
    taken: colours.text,
    warning: colours.warning,
    error: colours.error,
  })[style];

export function paintArrows(context: Context2D, picture: PaintInput, part: CarriedFilter): void {
  const byLook = new Map<Style, string[]>();
  for (const id of picture.scene.arrowIndex.query(picture.area)) {
    if (!isInPart(picture, part, id)) continue;
    const style = styleOf(picture, id);
    const list = byLook.get(style);
    if (list) list.push(id);
    else byLook.set(style, [id]);
  }
  for (const style of STYLES) {
    const ids = byLook.get(style);
    if (!ids) continue;
    context.globalAlpha = style === "plain" || style === "dashed" ? lineOpacity(picture.zoom) : 1;
    context.setLineDash(DASHED.has(style) ? [pixels(picture, 4), pixels(picture, 3)] : []);
    strokeArrows(context, picture, ids, colourOf(style, picture.colours), WIDE.has(style) ? 2 : 1);
    context.setLineDash([]);
    context.globalAlpha = 1;
  }
}

/** Many opaque lines in a small area would merge into a grey mass. */
const lineOpacity = (zoom: number) => Math.min(1, 0.35 + zoom * 1.4);

function isInPart(picture: PaintInput, part: CarriedFilter, id: string): boolean {
  if (!part.carried.size) return !part.carriedOnly;
  const arrow = picture.scene.arrows.get(id);
  if (!arrow) return false;
  const ends = Number(part.carried.has(arrow.source)) + Number(part.carried.has(arrow.target));
  return part.carriedOnly ? ends === 2 : ends === 0;
}

function styleOf({ session, scene }: PaintInput, id: string): Style {
  const { overlay, findingsOf, comparison } = session;
  if (overlay?.taken.has(id)) return "taken";
  const diff = comparison?.marks.get(`transition:${id}`);
  if (diff) return diff;
  if (overlay?.unreached?.has(id)) return "muted";
  const level = findingsOf.size ? findingsOf.get(`transition:${id}`)?.[0]?.level : undefined;
  if (level === "error" || level === "warning") return level;
  const arrow = scene.arrows.get(id);
  if (arrow?.inert) return "muted";
  return arrow && isDashed(arrow) ? "dashed" : "plain";
}

export function strokeArrows(
  context: Context2D,
  picture: PaintInput,
  ids: Iterable<string>,
  colour: string,
  width: number,
): void {
  context.beginPath();
  for (const id of ids) traceArrow(context, picture, id);
  context.strokeStyle = colour;
  context.lineWidth = pixels(picture, width);
  context.stroke();
}

function traceArrow(context: Context2D, picture: PaintInput, id: string): void {
  const { scene } = picture;
  const arrow = scene.arrows.get(id);
  if (!arrow) return;
  if (picture.zoom < STRAIGHT_ZOOM) {
    const source = scene.cards.get(arrow.source);
    const target = scene.cards.get(arrow.target);
    if (!source || !target) return;
    const [a, b] = [middle(source), middle(target)];
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
    return;
  }
  scene.route(id)?.points.forEach((point, index) => {
    if (index) context.lineTo(point.x, point.y);
    else context.moveTo(point.x, point.y);
  });
}

/** Paint arrows with only one end among the dragged states as straight lines until the drop. */
export function strokePartlyCarriedArrows(
  context: Context2D,
  picture: PaintInput,
  carry: { ids: ReadonlySet<string>; dx: number; dy: number },
): void {
  const { scene } = picture;
  context.beginPath();
  for (const state of carry.ids)
    for (const id of scene.arrowsOf(state)) {
      const arrow = scene.arrows.get(id);
      const source = arrow && scene.cards.get(arrow.source);
      const target = arrow && scene.cards.get(arrow.target);
      if (!source || !target || carry.ids.has(source.id) === carry.ids.has(target.id)) continue;
      const [a, b] = [middle(source), middle(target)];
      const [from, to] = carry.ids.has(source.id) ? [carry, NO_OFFSET] : [NO_OFFSET, carry];
      context.moveTo(a.x + from.dx, a.y + from.dy);
      context.lineTo(b.x + to.dx, b.y + to.dy);
    }
  context.strokeStyle = picture.colours.strong;
  context.lineWidth = pixels(picture, 1);
  context.stroke();
}

const NO_OFFSET = { dx: 0, dy: 0 };
