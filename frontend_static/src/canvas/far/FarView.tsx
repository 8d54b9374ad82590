/**
 * The far view: below a zoom limit the graph is painted on one 2D canvas over an empty React Flow
 * pane.
 */

import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { session } from "../../session";
import { useStage } from "../view/stageContext";
import type { Stage } from "../view/stage";
import { onThemeChange, readColours } from "./colours";
import { FarRenderer } from "./farRenderer";

export function FarView() {
  const stage = useStage();
  const far = useStore(stage.mode, (mode) => mode.far);
  const place = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (far && place.current) return repaintOnChange(stage, place.current);
    return undefined;
  }, [far, stage]);
  return <canvas ref={place} className="far" hidden={!far} aria-hidden data-far={far} />;
}

const PULSE_MS = 1_800;
const pulseAt = (now: number) => 0.5 + 0.5 * Math.cos((now / PULSE_MS) * 2 * Math.PI);
/** After this long without movement, the scaled raster is repainted sharply. */
const SHARPEN_AFTER_MS = 140;

function repaintOnChange(stage: Stage, canvas: HTMLCanvasElement): () => void {
  const context = canvas.getContext("2d");
  if (!context) return () => undefined;
  const painter = new FarRenderer(stage, context);
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  let colours = readColours(canvas);
  let frame = 0;
  let sharp = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const paint = (now: number) => {
    frame = 0;
    const blurred = painter.paintFrame(colours, reducedMotion.matches ? 1 : pulseAt(now), sharp);
    sharp = false;
    clearTimeout(timer);
    if (blurred) timer = setTimeout(sharpen, SHARPEN_AFTER_MS);
    if (session.state.overlay?.active.size && !reducedMotion.matches) ask();
  };
  const ask = () => {
    if (!frame) frame = requestAnimationFrame(paint);
  };
  const sharpen = () => {
    sharp = true;
    ask();
  };
  const themed = () => {
    colours = readColours(canvas);
    ask();
  };
  ask();
  const unsubscribers = [
    stage.view.subscribe(ask),
    stage.scene.subscribe(ask),
    stage.hover.subscribe(ask),
    stage.carry.subscribe(ask),
    session.store.subscribe(ask),
    onThemeChange(themed),
  ];
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    for (const stop of unsubscribers) stop();
  };
}
