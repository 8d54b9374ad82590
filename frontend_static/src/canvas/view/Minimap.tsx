/** The whole graph in a corner, painted once per change, with the viewport as a frame. */

import { useEffect, useRef } from "react";
import { kindOf } from "../../ui/stateKinds";
import { cardFindings, session } from "../../session";
import { onThemeChange, readColours } from "../far/colours";
import type { Rect } from "../scene/geometry";
import { arrowLabel } from "../scene/arrowLabel";
import { pillWidth } from "../scene/cardSizes";
import { linesOf, segmentRect } from "../scene/freeRoutes/field";
import { labelRect } from "../scene/freeRoutes/labelPlace";
import { overlaps, padded, union } from "../scene/geometry";
import { useStage } from "./stageContext";
import type { Stage } from "./stage";

const SIZE = { w: 144, h: 96 };
const MARGIN = 8;

interface MapTransform {
  scale: number;
  x: number;
  y: number;
}

export function Minimap() {
  const stage = useStage();
  const back = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const fitting = useRef<MapTransform>({ scale: 1, x: 0, y: 0 });
  useEffect(() => {
    if (!back.current || !frame.current) return undefined;
    return repaintOnChange(stage, back.current, frame.current, fitting);
  }, [stage]);
  const go = (event: React.PointerEvent<HTMLElement>) => {
    if (!event.buttons) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const { scale, x, y } = fitting.current;
    const point = {
      x: (event.clientX - left - x) / scale,
      y: (event.clientY - top - y) / scale,
    };
    stage.centerOn(point, undefined, event.type === "pointerdown");
  };
  return (
    <div className="minimap" hidden aria-hidden onPointerDown={go} onPointerMove={go}>
      <canvas ref={back} />
      <div ref={frame} className="minimap-frame" />
    </div>
  );
}

function repaintOnChange(
  stage: Stage,
  canvas: HTMLCanvasElement,
  frame: HTMLElement,
  fitting: React.RefObject<MapTransform>,
): () => void {
  const map = frame.parentElement;
  let frameRequest = 0;
  let stale = true;
  const paint = () => {
    frameRequest = 0;
    if (stale) fitting.current = paintMap(stage, canvas);
    stale = false;
    moveFrame(frame, stage.visible(), fitting.current);
    if (!map) return;
    const corner = isAllVisible(stage) ? null : freeCorner(stage);
    map.toggleAttribute("hidden", corner === null);
    if (corner) map.dataset["corner"] = corner;
  };
  const ask = () => {
    if (!frameRequest) frameRequest = requestAnimationFrame(paint);
  };
  const repaint = () => {
    stale = true;
    ask();
  };
  repaint();
  let lastMarks: unknown;
  const marks = () => {
    const { findingsOf, overlay, selection } = session.state;
    const now = `${findingsOf.size}|${[...(overlay?.active ?? [])].join()}|${selection.size}`;
    if (now !== lastMarks) repaint();
    lastMarks = now;
  };
  const unsubscribers = [
    stage.view.subscribe(ask),
    stage.scene.subscribe(debounced(repaint, 120)),
    session.store.subscribe(marks),
    onThemeChange(repaint),
  ];
  return () => {
    cancelAnimationFrame(frameRequest);
    for (const stop of unsubscribers) stop();
  };
}

/** The map helps only if part of the graph is outside the window. */
function isAllVisible(stage: Stage): boolean {
  const bounds = stage.scene.bounds();
  const window = stage.visible();
  return (
    !bounds ||
    (bounds.x >= window.x &&
      bounds.y >= window.y &&
      bounds.x + bounds.w <= window.x + window.w &&
      bounds.y + bounds.h <= window.y + window.h)
  );
}

type Corner = "low" | "high";
/** Pixels between the map and the edge of the canvas. */
const EDGE = 12;
/** Pixels of the map's border, and between the map and what is drawn. */
const RIM = { border: 2, gap: 4 };
/** Above this number of states a map helps more than what it covers. */
const MANY_STATES = 60;

/** The corner on the right where the map covers no card, line or label; null if there is none. */
function freeCorner(stage: Stage): Corner | null {
  if (stage.scene.cards.size > MANY_STATES) return "low";
  const drawn = drawnRects(stage);
  const isFree = (corner: Corner) =>
    !drawn.some((rect) => overlaps(rect, cornerRect(stage, corner)));
  return (["low", "high"] as const).find(isFree) ?? null;
}

function cornerRect(stage: Stage, corner: Corner): Rect {
  const { x, y, zoom, width, height } = stage.view.getState();
  const [w, h] = [SIZE.w + RIM.border, SIZE.h + RIM.border];
  const left = width - w - EDGE;
  const top = corner === "high" ? EDGE : height - h - EDGE;
  const rect = { x: (left - x) / zoom, y: (top - y) / zoom, w: w / zoom, h: h / zoom };
  return padded(rect, RIM.gap / zoom);
}

function drawnRects({ scene }: Stage): Rect[] {
  const lines = [...scene.arrows.values()].flatMap((arrow) => {
    const route = scene.route(arrow.id);
    if (!route) return [];
    const label = arrowLabel(arrow);
    const pieces = linesOf(arrow.id, route.points).map(({ from, to }) => segmentRect(from, to));
    return label ? [...pieces, labelRect(route.label, pillWidth(label))] : pieces;
  });
  return [...scene.cards.values(), ...lines];
}

function debounced(run: () => void, milliseconds: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
}

function fitTransform(bounds: Rect): MapTransform {
  const scale = Math.min((SIZE.w - 2 * MARGIN) / bounds.w, (SIZE.h - 2 * MARGIN) / bounds.h, 0.14);
  return {
    scale,
    x: (SIZE.w - bounds.w * scale) / 2 - bounds.x * scale,
    y: (SIZE.h - bounds.h * scale) / 2 - bounds.y * scale,
  };
}

function paintMap(stage: Stage, canvas: HTMLCanvasElement): MapTransform {
  const ratio = devicePixelRatio || 1;
  canvas.width = SIZE.w * ratio;
  canvas.height = SIZE.h * ratio;
  const context = canvas.getContext("2d");
  const bounds = union(stage.scene.cards.values());
  if (!context || !bounds) return { scale: 1, x: 0, y: 0 };
  const fitting = fitTransform(bounds);
  const colours = readColours(canvas);
  const { findingsOf, overlay } = session.state;
  context.setTransform(
    fitting.scale * ratio,
    0,
    0,
    fitting.scale * ratio,
    fitting.x * ratio,
    fitting.y * ratio,
  );
  const minSize = 2 / fitting.scale;
  for (const card of stage.scene.cards.values()) {
    const level = card.state && cardFindings({ findingsOf }, card.state)[0]?.level;
    const active = overlay?.active.has(card.id);
    const hue = card.state ? kindOf(card.state.kind).hue : 1;
    context.globalAlpha = active || level === "error" ? 1 : 0.55;
    context.fillStyle = active
      ? colours.ok
      : level === "error"
        ? colours.error
        : (colours.kinds[hue - 1] as string);
    context.fillRect(card.x, card.y, Math.max(card.w, minSize), Math.max(card.h, minSize));
  }
  return fitting;
}

function moveFrame(frame: HTMLElement, window: Rect, { scale, x, y }: MapTransform): void {
  const left = Math.max(-2, window.x * scale + x);
  const top = Math.max(-2, window.y * scale + y);
  const right = Math.min(SIZE.w + 2, (window.x + window.w) * scale + x);
  const low = Math.min(SIZE.h + 2, (window.y + window.h) * scale + y);
  frame.style.transform = `translate(${left}px, ${top}px)`;
  frame.style.width = `${Math.max(4, right - left)}px`;
  frame.style.height = `${Math.max(4, low - top)}px`;
}
