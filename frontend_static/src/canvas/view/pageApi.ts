/**
 * `window.signalbox`: what is where, for anybody who drives the page. The answers are the same
 * whether the state is an element or only painted.
 */

import type { Point } from "../scene/geometry";
import type { Stage } from "./stage";

export interface CanvasElement {
  kind: "state" | "transition";
  id: string;
}

declare global {
  interface Window {
    signalbox: {
      /** What lies at a point of the page: a state, a transition, or nothing. */
      at(x: number, y: number): CanvasElement | null;
      /** Where the middle of a state, or the label of a transition, is on the page. Pans nothing. */
      locate(id: string): Point | null;
    };
  }
}

const NO_CANVAS: Window["signalbox"] = { at: () => null, locate: () => null };
// Before the canvas stands, the name would mean the element with that id.
if (typeof window !== "undefined") window.signalbox = NO_CANVAS;

export function installPageApi(stage: Stage): () => void {
  window.signalbox = {
    at: (x, y) => at(stage, x, y),
    locate: (id) => locate(stage, id),
  };
  return () => {
    window.signalbox = NO_CANVAS;
  };
}

function at(stage: Stage, x: number, y: number): CanvasElement | null {
  const hit = stage.hitTest(x, y);
  if (hit.kind === "state") return { kind: "state", id: hit.id };
  if (hit.kind === "port") return { kind: "state", id: hit.state };
  if (hit.kind === "transition") return { kind: "transition", id: hit.id };
  return hit.kind === "end" ? { kind: "transition", id: hit.transition } : null;
}

function locate(stage: Stage, name: string): Point | null {
  const id = name.replace(/^(state|transition):/, "");
  const box = stage.scene.boxes.get(id);
  if (box) return stage.toPage({ x: box.x + box.w / 2, y: box.y + box.h / 2 });
  const route = stage.scene.route(id);
  return route ? stage.toPage(route.label) : null;
}
