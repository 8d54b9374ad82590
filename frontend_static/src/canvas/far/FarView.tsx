/** The far view: one canvas over the empty React Flow pane, painted when something changed. */

import { useEffect, useRef } from "react";
import { useStore } from "../../lib/store";
import { session } from "../../session";
import { useStage } from "../view/context";
import type { Stage } from "../view/stage";
import { onThemeChange, readColours, type Colours } from "./colours";
import { paintFar } from "./painter";

export function FarView() {
  const stage = useStage();
  const far = useStore(stage.mode, (mode) => mode.far);
  const place = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (far && place.current) return keepPainted(stage, place.current);
    return undefined;
  }, [far, stage]);
  return <canvas ref={place} className="far" hidden={!far} aria-hidden data-far={far} />;
}

function keepPainted(stage: Stage, canvas: HTMLCanvasElement): () => void {
  let asked = 0;
  let colours = readColours(canvas);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const context = canvas.getContext("2d");
  const paint = (now: number) => {
    asked = 0;
    if (!context) return;
    paintOnce(stage, canvas, context, colours, still.matches ? 1 : breathing(now));
    if (session.state.overlay?.active.size && !still.matches) ask();
  };
  const ask = () => {
    if (!asked) asked = requestAnimationFrame(paint);
  };
  const themed = () => {
    colours = readColours(canvas);
    ask();
  };
  ask();
  const stops = [
    stage.view.subscribe(ask),
    stage.scene.subscribe(ask),
    stage.hover.subscribe(ask),
    stage.carry.subscribe(ask),
    session.store.subscribe(ask),
    onThemeChange(themed),
  ];
  return () => {
    cancelAnimationFrame(asked);
    for (const stop of stops) stop();
  };
}

const BREATH_MS = 1_800;
const breathing = (now: number) => 0.5 + 0.5 * Math.cos((now / BREATH_MS) * 2 * Math.PI);

function paintOnce(
  stage: Stage,
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  colours: Colours,
  breath: number,
): void {
  const { x, y, zoom, width, height } = stage.view.get();
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, w, h);
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
  paintFar(context, {
    scene: stage.scene,
    session: session.state,
    colours,
    hovered: stage.hover.get().element,
    carry: stage.carry.get(),
    zoom,
    area: stage.carry.get().ids.size ? EVERYWHERE : stage.visible(8),
    breath,
  });
}

/** While boxes are carried, what comes into the window may stand anywhere in the index. */
const EVERYWHERE = { x: -1e9, y: -1e9, w: 2e9, h: 2e9 };
