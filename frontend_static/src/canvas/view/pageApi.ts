/**
 * `window.signalbox`: positions of elements, for scripts that drive the page. The near and the far
 * view give the same answers.
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
      /** The state or transition at a point of the page, or null. */
      at(x: number, y: number): CanvasElement | null;
      /** The page position of a state's middle or a transition's label. Does not pan. */
      locate(id: string): Point | null;
    };
  }
}

const NO_CANVAS: Window["signalbox"] = { at: () => null, locate: () => null };
// Defined early because the browser would otherwise resolve the name to the element with that id.
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
  const card = stage.scene.cards.get(id);
  if (card) return stage.toPage({ x: card.x + card.w / 2, y: card.y + card.h / 2 });
  const route = stage.scene.route(id);
  return route ? stage.toPage(route.label) : null;
}
