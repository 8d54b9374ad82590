/**
 * Paint what does not change from frame to frame: arrows, states in the colour of their kind, and
 * dots for findings.
 */

import { kindOf } from "../../ui/stateKinds";
import { cardFindings, shortId, type Level } from "../../session";
import type { Card } from "../scene/card";
import type { Rect } from "../scene/geometry";
import { diffColours } from "./colours";
import { paintArrows } from "./arrows";
import {
  cardsIn,
  fill,
  outline,
  pixels,
  type Context2D,
  type CarriedFilter,
  type PaintInput,
} from "./painting";

/** States smaller than this many pixels get no outline. */
const MIN_OUTLINED_HEIGHT = 5;
const MIN_NAME_ZOOM = 0.24;

export function paintStaticLayer(
  context: Context2D,
  picture: PaintInput,
  part: CarriedFilter,
): void {
  paintArrows(context, picture, part);
  const cards = cardsIn(picture, part);
  paintCards(context, picture, cards);
  paintDifference(context, picture, cards);
  if (picture.zoom > MIN_NAME_ZOOM) paintNames(context, picture, cards);
  paintDots(context, picture, cards);
}

function paintCards(context: Context2D, picture: PaintInput, cards: Card[]): void {
  const { colours, session, zoom } = picture;
  const byHue = new Map<number, Card[]>();
  for (const card of cards) {
    const hue = card.state ? kindOf(card.state.kind).hue : 0;
    const list = byHue.get(hue);
    if (list) list.push(card);
    else byHue.set(hue, [card]);
  }
  for (const [hue, list] of byHue) {
    const colour = hue ? (colours.kinds[hue - 1] as string) : colours.error;
    context.fillStyle = hue ? (colours.softKinds[hue - 1] as string) : colours.surface;
    fill(context, list);
    context.strokeStyle = colour;
    context.lineWidth = pixels(picture, 1);
    if (72 * zoom > MIN_OUTLINED_HEIGHT) outline(context, list, 0);
    const terminals = list.filter((card) => card.state?.terminal);
    if (terminals.length) outline(context, terminals, pixels(picture, 3));
    if (72 * zoom > MIN_OUTLINED_HEIGHT)
      paintStackedSheets(
        context,
        list.filter((card) => card.state?.inside),
        pixels(picture, 3),
      );
  }
  const unreached = session.overlay?.unreached;
  if (!unreached?.size) return;
  context.globalAlpha = 0.6;
  context.fillStyle = colours.bg;
  fill(
    context,
    cards.filter((card) => unreached.has(card.id)),
  );
  context.globalAlpha = 1;
}

/** Outline the states of the difference that is shown: dashed if only one of the versions has them. */
function paintDifference(context: Context2D, picture: PaintInput, cards: Card[]): void {
  const { colours, session } = picture;
  if (!session.comparison) return;
  const { marks } = session.comparison;
  context.lineWidth = pixels(picture, 2);
  for (const [mark, colour] of Object.entries(diffColours(colours))) {
    const marked = cards.filter((card) => marks.get(`state:${card.id}`) === mark);
    if (!marked.length) continue;
    const isDashed = mark === "added" || mark === "removed";
    context.strokeStyle = colour;
    context.setLineDash(isDashed ? [pixels(picture, 4), pixels(picture, 3)] : []);
    outline(context, marked, pixels(picture, 2));
    if (mark === "removed") strikeThrough(context, marked);
  }
  context.setLineDash([]);
}

function strikeThrough(context: Context2D, cards: Card[]): void {
  context.beginPath();
  for (const { x, y, w, h } of cards) {
    context.moveTo(x, y + h / 2);
    context.lineTo(x + w, y + h / 2);
  }
  context.stroke();
}

/** Paint a second sheet behind states that open a level. */
function paintStackedSheets(context: Context2D, cards: Card[], by: number): void {
  if (!cards.length) return;
  context.beginPath();
  for (const { x, y, w, h } of cards) {
    context.moveTo(x + w + by, y + 3 * by);
    context.lineTo(x + w + by, y + h + by);
    context.lineTo(x + 3 * by, y + h + by);
  }
  context.stroke();
}

/** Paint names between the zoom at which cards are readable and the zoom at which one word is. */
function paintNames(context: Context2D, picture: PaintInput, cards: Card[]): void {
  const size = pixels(picture, 10);
  const letters = Math.floor(192 / (size * 0.61));
  context.font = `600 ${size}px ui-monospace, Menlo, Consolas, monospace`;
  context.fillStyle = picture.colours.text;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const card of cards) {
    const id = shortId(card.id, picture.session.level);
    const name = id.length > letters ? `${id.slice(0, letters - 1)}…` : id;
    context.fillText(name, card.x + card.w / 2, card.y + card.h / 2);
  }
}

function paintDots(context: Context2D, picture: PaintInput, cards: Card[]): void {
  const { session, colours } = picture;
  const starts = new Set(session.graph.entries.map((entry) => entry.state));
  const proposed = session.comparison?.proposed;
  const byLevel: Record<Level, Rect[]> = { hint: [], warning: [], error: [] };
  const proposedByLevel: Record<Level, Rect[]> = { hint: [], warning: [], error: [] };
  const begins: Rect[] = [];
  for (const card of cards) {
    if (starts.has(card.id)) begins.push(card);
    if (proposed && card.state) {
      const level = cardFindings({ findingsOf: proposed.findings }, card.state)[0]?.level;
      if (level) proposedByLevel[level].push(card);
    }
    if (!session.findingsOf.size) continue;
    const level = card.state && cardFindings(session, card.state)[0]?.level;
    if (level) byLevel[level].push(card);
  }
  paintDotsAt(context, picture, begins, colours.text, "left");
  for (const level of ["hint", "warning", "error"] as const) {
    paintDotsAt(context, picture, byLevel[level], colours[level], "corner");
    paintDotsAt(context, picture, proposedByLevel[level], colours[level], "hollow");
  }
}

function paintDotsAt(
  context: Context2D,
  picture: PaintInput,
  rects: Rect[],
  colour: string,
  position: "left" | "corner" | "hollow",
): void {
  if (!rects.length) return;
  const radius = pixels(picture, Math.min(3.5, Math.max(1.5, 72 * picture.zoom * 0.5)));
  context.fillStyle = position === "hollow" ? picture.colours.surface : colour;
  context.beginPath();
  for (const rect of rects) {
    const x = position === "left" ? rect.x - 2 * radius : rect.x + rect.w;
    const y =
      position === "left" ? rect.y + rect.h / 2 : rect.y + (position === "hollow" ? rect.h : 0);
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  context.fill();
  if (position !== "hollow") return;
  context.strokeStyle = colour;
  context.lineWidth = pixels(picture, 1.5);
  context.stroke();
}
