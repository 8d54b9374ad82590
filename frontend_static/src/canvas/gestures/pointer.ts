/**
 * Pointer events of the canvas, dispatched to gestures. React Flow pans and zooms on all others.
 * The near and the far view share this code.
 *
 * A finger pans, except on a selected element; a tap selects, and a long press opens the menu.
 */

import { session } from "../../session";
import type { Hit } from "../view/hitTest";
import type { Stage } from "../view/stage";
import type { Drag, Gesture, PointerInput } from "./gesture";
import { updateHover, clearHover, isOnCanvas } from "./hover";
import { keyOf } from "../../ui/keys";

const DRAG_SLACK = 4;
const TOUCH_SLACK = 8;
const LONG_PRESS_MS = 500;
const PAN_EDGE = 36;
const PAN_STEP = 12;

interface PointerSession {
  start: PointerInput;
  drag: Drag | null;
  moved: boolean;
  holds: boolean;
  last: PointerEvent;
}

/** Returns a function that removes the listeners. */
export function listenToPointer(root: HTMLElement, stage: Stage, gestures: Gesture[]): () => void {
  let pointer: PointerSession | null = null;
  let frame = 0;
  let longPress: ReturnType<typeof setTimeout> | undefined;
  /** While Space is held, every drag pans. */
  let panning = false;

  const touch = (event: MouseEvent): PointerInput => ({
    stage,
    event,
    hit: stage.hitTest(event.clientX, event.clientY),
    point: stage.toScene(event.clientX, event.clientY),
  });

  const down = (event: PointerEvent) => {
    if (!isOnCanvas(event.target) || event.button !== 0 || panning) return;
    // A second finger zooms.
    if (!event.isPrimary) return cancel();
    const start = touch(event);
    const byTouch = event.pointerType === "touch";
    const holds =
      (!byTouch || isSelected(start.hit)) && gestures.some((gesture) => gesture.holds?.(start));
    pointer = { start, drag: null, moved: false, holds, last: event };
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    root.focus({ preventScroll: true });
    if (byTouch) longPress = setTimeout(() => openMenu(start), LONG_PRESS_MS);
    else for (const gesture of gestures) gesture.down?.(start);
    if (holds) event.stopPropagation();
  };

  const openMenu = ({ event }: PointerInput) => {
    cancel();
    stage.openMenu(event.clientX, event.clientY);
  };

  /** d3 pans on mouse and touch events, not on pointer events. */
  const noPan = (event: Event) => {
    if (pointer?.holds) event.stopPropagation();
  };

  const move = (event: PointerEvent) => {
    if (!pointer) return updateHover(stage, event, root);
    if (event.pointerId !== pointer.last.pointerId) return undefined;
    pointer.last = event;
    const distance = Math.hypot(
      event.clientX - pointer.start.event.clientX,
      event.clientY - pointer.start.event.clientY,
    );
    const slack = event.pointerType === "touch" ? TOUCH_SLACK : DRAG_SLACK;
    if (!pointer.moved && distance < slack) return undefined;
    if (!pointer.moved) begin(pointer);
    if (pointer.drag) {
      event.preventDefault();
      pointer.drag.move(touch(event));
      panAtEdge();
    }
    return undefined;
  };

  const begin = (now: PointerSession) => {
    now.moved = true;
    clearTimeout(longPress);
    for (const gesture of gestures) {
      now.drag = now.holds ? (gesture.drag?.(now.start) ?? null) : null;
      if (now.drag) break;
    }
    if (now.drag) root.classList.add("dragging");
  };

  const up = (event: PointerEvent) => {
    const was = pointer;
    pointer = null;
    clearTimeout(longPress);
    cancelAnimationFrame(frame);
    root.classList.remove("dragging");
    if (!was) return;
    if (was.drag) was.drag.drop(touch(event));
    else if (!was.moved) {
      if (event.pointerType === "touch") for (const gesture of gestures) gesture.down?.(was.start);
      for (const gesture of gestures) gesture.click?.(was.start);
    }
  };

  const cancel = () => {
    pointer?.drag?.cancel();
    pointer = null;
    clearTimeout(longPress);
    cancelAnimationFrame(frame);
    root.classList.remove("dragging");
  };

  const escape = (event: KeyboardEvent) => {
    if (keyOf(event) !== "Escape" || !pointer?.drag) return;
    event.stopPropagation();
    cancel();
  };

  const space = (event: KeyboardEvent) => {
    if (keyOf(event) !== " ") return;
    panning =
      event.type === "keydown" && event.target instanceof Node && root.contains(event.target);
    root.classList.toggle("panning", panning);
  };

  const doubled = (event: MouseEvent) => {
    if (!isOnCanvas(event.target)) return;
    const at = touch(event);
    for (const gesture of gestures) gesture.doubleClick?.(at);
  };

  /** Pan while a drag is at the edge of the canvas. */
  const panAtEdge = () => {
    cancelAnimationFrame(frame);
    if (!pointer?.drag) return;
    const { left, top, right, bottom } = root.getBoundingClientRect();
    const { clientX: x, clientY: y } = pointer.last;
    const step = (low: number, high: number) =>
      low < PAN_EDGE ? PAN_STEP : high < PAN_EDGE ? -PAN_STEP : 0;
    const [dx, dy] = [step(x - left, right - x), step(y - top, bottom - y)];
    if (!dx && !dy) return;
    frame = requestAnimationFrame(() => {
      if (!pointer?.drag) return;
      stage.pan(dx, dy);
      pointer.drag.move(touch(pointer.last));
      panAtEdge();
    });
  };

  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener("pointerdown", down, { capture: true, signal });
  root.addEventListener("mousedown", noPan, { capture: true, signal });
  root.addEventListener("touchstart", noPan, { capture: true, signal });
  root.addEventListener("dblclick", doubled, { signal });
  root.addEventListener("pointerleave", () => clearHover(stage), { signal });
  window.addEventListener("pointermove", move, { signal });
  window.addEventListener("pointerup", up, { signal });
  window.addEventListener("pointercancel", cancel, { signal });
  window.addEventListener("keydown", space, { signal });
  window.addEventListener("keyup", space, { signal });
  window.addEventListener("keydown", escape, { capture: true, signal });
  return () => {
    cancel();
    listening.abort();
  };
}

function isSelected(hit: Hit): boolean {
  const { selection } = session.state;
  if (hit.kind === "state") return selection.has(`state:${hit.id}`);
  return hit.kind === "port" ? selection.has(`state:${hit.state}`) : hit.kind === "end";
}
