/**
 * Paints boxes, arrows and marks on a 2D canvas under the canvas's own transform. Everything of one
 * colour goes into one path, because the number of strokes is what costs.
 */

import { kindOf } from "../../lib/kinds";
import type { SessionState } from "../../session";
import type { Box } from "../scene/box";
import type { Scene } from "../scene/scene";
import { middle, type Rect } from "../scene/shapes";
import { STRAIGHT } from "../view/hit";
import type { Colours } from "./colours";

export interface Picture {
  scene: Scene;
  session: SessionState;
  colours: Colours;
  hovered: string | null;
  carry: { ids: ReadonlySet<string>; dx: number; dy: number };
  zoom: number;
  /** The part of the scene that is in the window. */
  area: Rect;
  /** 0…1, for the glow that breathes. */
  breath: number;
}

type Context = CanvasRenderingContext2D;

export function paintFar(context: Context, picture: Picture): void {
  const { scene, area } = picture;
  const boxes = scene.boxIndex.query(area).flatMap((id) => scene.boxes.get(id) ?? []);
  paintArrows(context, picture);
  paintBoxes(context, picture, boxes);
  paintMarks(context, picture, boxes);
}

const pixel = (picture: Picture, size: number) => size / picture.zoom;

interface Stroke {
  colour: string;
  width: number;
  dashed: boolean;
  ids: string[];
}

/** Arrows in the order they lie on each other: plain ones, then what the eye should find. */
function paintArrows(context: Context, picture: Picture): void {
  const strokes = new Map<string, Stroke>();
  const order = ["plain", "dashed", "muted", "taken", "warning", "error", "last", "hovered", "selected"];
  const { colours } = picture;
  const colourOf: Record<string, string> = {
    plain: colours.strong,
    dashed: colours.strong,
    muted: colours.line,
    taken: colours.text,
    warning: colours.warning,
    error: colours.error,
    last: colours.ok,
    hovered: colours.text,
    selected: colours.accent,
  };
  for (const id of picture.scene.arrowIndex.query(picture.area)) {
    const name = styleOf(picture, id);
    const stroke = strokes.get(name);
    if (stroke) stroke.ids.push(id);
    else {
      const wide = name === "selected" || name === "last" || name === "taken" || name === "hovered";
      strokes.set(name, {
        colour: colourOf[name] as string,
        width: wide ? 2 : 1,
        dashed: name === "dashed",
        ids: [id],
      });
    }
  }
  for (const name of order) {
    const stroke = strokes.get(name);
    if (stroke) paintStroke(context, picture, stroke, name);
  }
}

function styleOf(picture: Picture, id: string): string {
  const { session, hovered, scene } = picture;
  const element = `transition:${id}`;
  if (session.selection.has(element)) return "selected";
  if (hovered === element) return "hovered";
  const { overlay } = session;
  if (overlay) {
    if (overlay.last?.transition === id) return "last";
    if (overlay.taken.has(id)) return "taken";
    if (overlay.unreached?.has(id)) return "muted";
  }
  const level = session.findingsOf.size ? session.findingsOf.get(element)?.[0]?.level : undefined;
  if (level === "error" || level === "warning") return level;
  const arrow = scene.arrows.get(id);
  if (arrow?.inert) return "muted";
  return arrow?.kind === "redirect" || arrow?.kind === "fallback" ? "dashed" : "plain";
}

function paintStroke(context: Context, picture: Picture, stroke: Stroke, name: string): void {
  context.beginPath();
  for (const id of stroke.ids) tracePath(context, picture, id);
  context.strokeStyle = stroke.colour;
  context.lineWidth = pixel(picture, stroke.width);
  context.globalAlpha = name === "plain" || name === "dashed" ? Math.min(1, 0.35 + picture.zoom * 1.4) : 1;
  context.setLineDash(stroke.dashed ? [pixel(picture, 4), pixel(picture, 3)] : []);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function tracePath(context: Context, picture: Picture, id: string): void {
  const { scene, carry } = picture;
  const arrow = scene.arrows.get(id);
  if (!arrow) return;
  const moved = carry.ids.size > 0;
  const ends = moved ? Number(carry.ids.has(arrow.source)) + Number(carry.ids.has(arrow.target)) : 0;
  if (picture.zoom < STRAIGHT || ends === 1) {
    const source = scene.boxes.get(arrow.source);
    const target = scene.boxes.get(arrow.target);
    if (!source || !target) return;
    const [a, b] = [middle(source), middle(target)];
    const from = moved && carry.ids.has(arrow.source) ? carry : { dx: 0, dy: 0 };
    const to = moved && carry.ids.has(arrow.target) ? carry : { dx: 0, dy: 0 };
    context.moveTo(a.x + from.dx, a.y + from.dy);
    context.lineTo(b.x + to.dx, b.y + to.dy);
    return;
  }
  const { dx, dy } = ends === 2 ? carry : { dx: 0, dy: 0 };
  const points = scene.route(id)?.points;
  if (!points) return;
  points.forEach((point, index) => {
    if (index) context.lineTo(point.x + dx, point.y + dy);
    else context.moveTo(point.x + dx, point.y + dy);
  });
}

const placeOf = (picture: Picture, box: Box): Rect => {
  const { ids, dx, dy } = picture.carry;
  return ids.has(box.id) ? { ...box, x: box.x + dx, y: box.y + dy } : box;
};

function paintBoxes(context: Context, picture: Picture, boxes: Box[]): void {
  const { colours, session } = picture;
  const byHue = new Map<number, Box[]>();
  for (const box of boxes) {
    const hue = box.state ? kindOf(box.state.kind).hue : 0;
    const list = byHue.get(hue);
    if (list) list.push(box);
    else byHue.set(hue, [box]);
  }
  const rim = pixel(picture, 1);
  for (const [hue, list] of byHue) {
    const colour = hue ? (colours.kinds[hue - 1] as string) : colours.error;
    context.fillStyle = colours.surface;
    fill(context, list.map((box) => placeOf(picture, box)));
    context.globalAlpha = 0.3;
    context.fillStyle = colour;
    fill(context, list.map((box) => placeOf(picture, box)));
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = rim;
    outline(context, list.map((box) => placeOf(picture, box)), 0);
    const double = list.filter((box) => box.state?.terminal);
    if (double.length) outline(context, double.map((box) => placeOf(picture, box)), pixel(picture, 3));
  }
  const { unreached } = session.overlay ?? {};
  if (unreached?.size) {
    context.globalAlpha = 0.6;
    context.fillStyle = colours.bg;
    fill(context, boxes.filter((box) => unreached.has(box.id)).map((box) => placeOf(picture, box)));
    context.globalAlpha = 1;
  }
  if (picture.zoom > 0.24) paintNames(context, picture, boxes);
}

function fill(context: Context, rects: Rect[]): void {
  context.beginPath();
  for (const rect of rects) context.rect(rect.x, rect.y, rect.w, rect.h);
  context.fill();
}

function outline(context: Context, rects: Rect[], by: number): void {
  context.beginPath();
  for (const rect of rects)
    context.rect(rect.x - by, rect.y - by, rect.w + 2 * by, rect.h + 2 * by);
  context.stroke();
}

/** Still too small to read on a card, but large enough as one word. */
function paintNames(context: Context, picture: Picture, boxes: Box[]): void {
  const size = pixel(picture, 10);
  const letters = Math.floor(192 / (size * 0.61));
  context.font = `600 ${size}px ui-monospace, Menlo, Consolas, monospace`;
  context.fillStyle = picture.colours.text;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const box of boxes) {
    const rect = placeOf(picture, box);
    const name = box.id.length > letters ? `${box.id.slice(0, letters - 1)}…` : box.id;
    context.fillText(name, rect.x + rect.w / 2, rect.y + rect.h / 2);
  }
}

/** What must be found from far away: selection, findings, where the run is, where it begins. */
function paintMarks(context: Context, picture: Picture, boxes: Box[]): void {
  const { session, colours, hovered } = picture;
  const { selection, findingsOf, overlay, graph } = session;
  const marked = (test: (box: Box) => boolean) =>
    boxes.filter(test).map((box) => placeOf(picture, box));
  const ring = (rects: Rect[], colour: string, width: number, by: number) => {
    if (!rects.length) return;
    context.strokeStyle = colour;
    context.lineWidth = pixel(picture, width);
    outline(context, rects, pixel(picture, by));
  };
  if (selection.size) ring(marked((box) => selection.has(`state:${box.id}`)), colours.accent, 2, 2);
  if (hovered) ring(marked((box) => hovered === `state:${box.id}`), colours.text, 1.5, 1);
  const starts = new Set(graph.entries.map((entry) => entry.state));
  if (starts.size) dots(context, picture, marked((box) => starts.has(box.id)), colours.text, "left");
  if (findingsOf.size)
    for (const level of ["hint", "warning", "error"] as const) {
      const rects = marked((box) => findingsOf.get(`state:${box.id}`)?.[0]?.level === level);
      dots(context, picture, rects, colours[level], "corner");
    }
  if (!overlay) return;
  context.globalAlpha = 0.35 + 0.65 * picture.breath;
  ring(marked((box) => overlay.active.has(box.id)), colours.ok, 3, 3);
  context.globalAlpha = 1;
  ring(marked((box) => overlay.waiting.has(box.id)), colours.warning, 3, 3);
  ring(marked((box) => overlay.failed.has(box.id)), colours.error, 3, 3);
}

function dots(
  context: Context,
  picture: Picture,
  rects: Rect[],
  colour: string,
  where: "left" | "corner",
): void {
  if (!rects.length) return;
  const radius = pixel(picture, 3.5);
  context.fillStyle = colour;
  context.beginPath();
  for (const rect of rects) {
    const x = where === "left" ? rect.x - 2 * radius : rect.x + rect.w;
    const y = where === "left" ? rect.y + rect.h / 2 : rect.y;
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  context.fill();
}
