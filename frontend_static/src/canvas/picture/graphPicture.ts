/**
 * A graph as an SVG document with the geometry of the canvas. It needs no other file: no style
 * sheet, font, script or foreign object. It is produced in parts, so that a large graph can be
 * drawn in steps without blocking the page.
 */

import type { Group, Transition } from "../../session";
import type { Route } from "../scene/arrowPath";
import type { EntryMark } from "../scene/entryMarks";
import { padded, union, type Rect } from "../scene/geometry";
import { groupFrames, type Frame } from "../scene/groupFrames";
import type { Scene } from "../scene/scene";
import { drawnCard } from "./cardDrawing";
import { drawnEntry, drawnLabel, drawnLine, labelArea } from "./arrowDrawing";
import { fitEnd, SANS } from "./fitText";
import { MONO_FONT, type Paint } from "./paint";
import { element, escapeXml, titled } from "./xml";

export interface DrawingInput {
  title: string;
  scene: Pick<Scene, "cards" | "arrows" | "route" | "entryMarks">;
  groups: Group[];
  paint: Paint;
  /** Markup of the icons' symbols. */
  symbols: string;
}

const MARGIN = 28;
const BACK_SHEET = 8;

/** The document in parts. Some are empty, after work that leads to no text yet. */
export function* drawingParts(input: DrawingInput): Generator<string, void> {
  const { scene, paint, title } = input;
  const cards = [...scene.cards.values()];
  const frames = groupFrames(scene, input.groups);
  const entries = scene.entryMarks();
  const arrows: [Transition, Route][] = [];
  for (const [id, arrow] of scene.arrows) {
    const route = scene.route(id);
    if (route) arrows.push([arrow, route]);
    yield "";
  }
  const { x, y, w, h } = extentOf(cards, frames, entries, arrows);
  const size = { width: w, height: h };
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}"` +
    ` viewBox="${x} ${y} ${w} ${h}" role="img" font-family="${escapeXml(MONO_FONT)}">`
  );
  yield titled(title) + element("defs", {}, input.symbols || titled(title));
  yield element("rect", { x, y, ...size, fill: paint.colours.bg });
  for (const frame of frames) yield drawnFrame(frame, paint);
  for (const [arrow, route] of arrows) yield drawnLine(arrow, route, paint);
  for (const mark of entries) yield drawnEntry(mark, paint);
  for (const card of cards) yield drawnCard(card, paint);
  for (const [arrow, route] of arrows) yield drawnLabel(arrow, route, paint);
  yield "</svg>\n";
}

/** The extent of the drawing with a margin, in whole pixels. */
function extentOf(
  cards: Rect[],
  frames: Frame[],
  entries: EntryMark[],
  arrows: [Transition, Route][],
): Rect {
  function* areas(): Generator<Rect> {
    for (const card of cards) yield padded(card, BACK_SHEET);
    for (const frame of frames) yield frame.rect;
    for (const { rect } of entries) yield rect;
    for (const [arrow, route] of arrows) {
      for (const point of route.points) yield padded({ ...point, w: 0, h: 0 }, 6);
      const label = labelArea(arrow, route);
      if (label) yield label;
    }
  }
  const all = padded(union(areas()) ?? { x: 0, y: 0, w: 0, h: 0 }, MARGIN);
  const [x, y] = [Math.floor(all.x), Math.floor(all.y)];
  return { x, y, w: Math.ceil(all.x + all.w) - x, h: Math.ceil(all.y + all.h) - y };
}

function drawnFrame({ group, rect }: Frame, { colours, sans }: Paint): string {
  const name = group.name || group.id;
  const place = { x: rect.x + 12, y: rect.y + 16, "font-size": 11, "font-family": sans };
  const shown = fitEnd(name, rect.w - 24, 11, SANS);
  const kind =
    shown === name ? element("tspan", { "font-weight": 400 }, escapeXml(` ${group.kind}`)) : "";
  return element(
    "g",
    { "data-group": group.id },
    titled(`${name} ${group.kind}`) +
      element("rect", {
        x: rect.x,
        y: rect.y,
        width: rect.w,
        height: rect.h,
        rx: 12,
        fill: colours.surface2,
        "fill-opacity": 0.55,
        stroke: colours.strong,
        "stroke-dasharray": "4 3",
      }) +
      element(
        "text",
        { ...place, "font-weight": 600, fill: colours.muted },
        escapeXml(shown) + kind,
      ),
  );
}

/** Milliseconds of work after which the page gets a turn. */
const SLICE_MS = 12;

/** The whole document, made in steps between which the page can react. */
export async function drawInSteps(parts: Iterable<string>): Promise<string> {
  const done: string[] = [];
  let started = performance.now();
  for (const part of parts) {
    done.push(part);
    if (performance.now() - started < SLICE_MS) continue;
    await new Promise((resume) => setTimeout(resume));
    started = performance.now();
  }
  return done.join("");
}

/** The whole document at once, for an event that cannot wait. */
export const drawAtOnce = (parts: Iterable<string>): string => [...parts].join("");
