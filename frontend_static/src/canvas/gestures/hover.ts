/** Hover: the element under the pointer while no button is pressed. */

import { session } from "../../session";
import type { Stage } from "../view/stage";

/** True if an event's target is the canvas itself, not a popup, button or field on it. */
export const isOnCanvas = (target: EventTarget | null) =>
  target instanceof Element &&
  !target.closest(".popup, .menu, .controls, .minimap, .rename, .canvas-tooltip");

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Publish the element under the pointer. A hovered arrow also highlights the states at its ends.
 */
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
  if (element === stage.hover.getState().element) return;
  const arrow = hit?.kind === "transition" ? session.state.graph.transitions.get(hit.id) : null;
  stage.hover.setState({
    element,
    highlighted: arrow ? new Set([arrow.source, arrow.target]) : NOTHING,
  });
}

export const clearHover = (stage: Stage): void =>
  stage.hover.setState({ element: null, highlighted: NOTHING });
