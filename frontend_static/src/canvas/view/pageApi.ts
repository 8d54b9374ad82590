/**
 * `window.signalbox`: what is where, for anybody who drives the page. The answers are the same
 * whether the state is an element or only painted.
 */

import type { Point } from "../scene/geometry";
import type { Stage } from "./stage";

export interface Found {
  kind: "state" | "transition";
  id: string;
}

declare global {
  interface Window {
    signalbox: {
      /** What lies at a point of the page: a state, a transition, or nothing. */
      at(x: number, y: number): Found | null;
      /** Where the middle of a state, or the label of a transition, is on the page. Pans nothing. */
      locate(id: string): Point | null;
    };
  }
}

const NOBODY: Window["signalbox"] = { at: () => null, locate: () => null };
// Before the canvas stands, the name would mean the element with that id.
if (typeof window !== "undefined") window.signalbox = NOBODY;

export function answerQuestions(stage: Stage): () => void {
  window.signalbox = {
    at: (x, y) => at(stage, x, y),
    locate: (id) => locate(stage, id),
  };
  return () => {
    window.signalbox = NOBODY;
  };
}

function at(stage: Stage, x: number, y: number): Found | null {
  const hit = stage.hit(x, y);
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
