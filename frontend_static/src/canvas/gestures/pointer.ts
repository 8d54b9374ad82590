/**
 * One place that hears the pointer and decides whose it is. What no gesture wants stays with React
 * Flow, which pans and zooms. The same code serves cards and the painted far view.
 */

import { session } from "../../session";
import type { Stage } from "../view/stage";
import type { Drag, Gesture, Touch } from "./gesture";

const SLACK = 4;
const EDGE = 36;
const PAN_STEP = 12;

interface Held {
  start: Touch;
  drag: Drag | null;
  moved: boolean;
  holds: boolean;
  last: PointerEvent;
}

/** Returns the way to stop listening. */
export function listenToPointer(root: HTMLElement, stage: Stage, gestures: Gesture[]): () => void {
  let held: Held | null = null;
  let frame = 0;

  const touch = (event: MouseEvent): Touch => ({
    stage,
    event,
    hit: stage.hit(event.clientX, event.clientY),
    point: stage.toScene(event.clientX, event.clientY),
  });

  const down = (event: PointerEvent) => {
    if (!onCanvas(event.target) || event.button !== 0) return;
    const start = touch(event);
    const holds = gestures.some((gesture) => gesture.holds?.(start));
    held = { start, drag: null, moved: false, holds, last: event };
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    root.focus({ preventScroll: true });
    for (const gesture of gestures) gesture.down?.(start);
    if (holds) event.stopPropagation();
  };

  /** d3 pans on mouse and touch events, not on pointer events. */
  const noPan = (event: Event) => {
    if (held?.holds) event.stopPropagation();
  };

  const move = (event: PointerEvent) => {
    if (!held) return hover(stage, event, root);
    held.last = event;
    const far = Math.hypot(
      event.clientX - held.start.event.clientX,
      event.clientY - held.start.event.clientY,
    );
    if (!held.moved && far < SLACK) return undefined;
    if (!held.moved) begin(held);
    if (held.drag) {
      event.preventDefault();
      held.drag.move(touch(event));
      panAtEdge();
    }
    return undefined;
  };

  const begin = (now: Held) => {
    now.moved = true;
    for (const gesture of gestures) {
      now.drag = now.holds ? (gesture.drag?.(now.start) ?? null) : null;
      if (now.drag) break;
    }
    if (now.drag) root.classList.add("dragging");
  };

  const up = (event: PointerEvent) => {
    const was = held;
    held = null;
    cancelAnimationFrame(frame);
    root.classList.remove("dragging");
    if (!was) return;
    if (was.drag) was.drag.drop(touch(event));
    else if (!was.moved) for (const gesture of gestures) gesture.click?.(was.start);
  };

  const cancel = () => {
    held?.drag?.cancel();
    held = null;
    cancelAnimationFrame(frame);
    root.classList.remove("dragging");
  };

  const escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !held?.drag) return;
    event.stopPropagation();
    cancel();
  };

  const doubled = (event: MouseEvent) => {
    if (!onCanvas(event.target)) return;
    const at = touch(event);
    for (const gesture of gestures) gesture.doubleClick?.(at);
  };

  /** Dragging to the rim moves the window along, as long as the pointer stays there. */
  const panAtEdge = () => {
    cancelAnimationFrame(frame);
    if (!held?.drag) return;
    const { left, top, right, bottom } = root.getBoundingClientRect();
    const { clientX: x, clientY: y } = held.last;
    const step = (low: number, high: number) =>
      low < EDGE ? PAN_STEP : high < EDGE ? -PAN_STEP : 0;
    const [dx, dy] = [step(x - left, right - x), step(y - top, bottom - y)];
    if (!dx && !dy) return;
    frame = requestAnimationFrame(() => {
      if (!held?.drag) return;
      stage.pan(dx, dy);
      held.drag.move(touch(held.last));
      panAtEdge();
    });
  };

  const left = () => stage.hover.set({ element: null, lit: NOTHING });

  root.addEventListener("pointerdown", down, true);
  root.addEventListener("mousedown", noPan, true);
  root.addEventListener("touchstart", noPan, true);
  root.addEventListener("dblclick", doubled);
  root.addEventListener("pointerleave", left);
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", up);
  window.addEventListener("pointercancel", cancel);
  window.addEventListener("keydown", escape, true);
  return () => {
    cancel();
    root.removeEventListener("pointerdown", down, true);
    root.removeEventListener("mousedown", noPan, true);
    root.removeEventListener("touchstart", noPan, true);
    root.removeEventListener("dblclick", doubled);
    root.removeEventListener("pointerleave", left);
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", up);
    window.removeEventListener("pointercancel", cancel);
    window.removeEventListener("keydown", escape, true);
  };
}

const onCanvas = (target: EventTarget | null) =>
  target instanceof Element && !target.closest(".popup, .controls, .minimap, .rename, .tip");

const NOTHING: ReadonlySet<string> = new Set();

function hover(stage: Stage, event: PointerEvent, root: HTMLElement): void {
  if (!(event.target instanceof Node) || !root.contains(event.target) || event.buttons) return;
  const hit = onCanvas(event.target) ? stage.hit(event.clientX, event.clientY) : null;
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
  stage.hover.set({ element, lit: arrow ? new Set([arrow.source, arrow.target]) : NOTHING });
}
