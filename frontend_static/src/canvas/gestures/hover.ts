/** What the pointer is over while nothing is held. */

import { session } from "../../session";
import type { Stage } from "../view/stage";

/** Not over a list, button or field that lies on the canvas. */
export const isOnCanvas = (target: EventTarget | null) =>
  target instanceof Element &&
  !target.closest(".popup, .controls, .minimap, .rename, .canvas-tooltip");

const NOTHING: ReadonlySet<string> = new Set();

/** Tell the views what lies under the pointer; an arrow lights the states at its ends. */
export function updateHover(stage: Stage, event: PointerEvent, root: HTMLElement): void {
  if (!(event.target instanceof Node) || !root.contains(event.target) || event.buttons) return;
  const hit = isOnCanvas(event.target) ? stage.hitTest(event.clientX, event.clientY) : null;
  const element =
    hit?.kind === "state"
      ? `state:${hit.id}`
      : hit?.kind === "port"
        ? `state:${hit.state}`
        : hit?.kind === "transition"
          ? `transition:${hit.id}`
          : null;
  root.classList.toggle("over-state", hit?.kind === "state");
  root.classList.toggle("over-arrow", hit?.kind === "transition");
  if (element === stage.hover.get().element) return;
  const arrow = hit?.kind === "transition" ? session.state.graph.transitions.get(hit.id) : null;
  stage.hover.set({
    element,
    highlighted: arrow ? new Set([arrow.source, arrow.target]) : NOTHING,
  });
}

export const clearHover = (stage: Stage): void =>
  stage.hover.set({ element: null, highlighted: NOTHING });
