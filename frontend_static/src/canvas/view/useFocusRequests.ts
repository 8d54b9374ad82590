/**
 * Scroll to the element that the session requests: a finding's place, a search result, a
 * counterexample.
 */

import { useEffect } from "react";
import { useSession } from "../../session";
import { union, type Rect } from "../scene/geometry";
import type { Stage } from "./stage";

const READABLE_ZOOM = 0.9;

export function useFocusRequests(stage: Stage): void {
  const focus = useSession((state) => state.focus);
  useEffect(() => {
    if (!focus) return undefined;
    return focus.gentle ? keepInView(stage, focus.element) : showWhenPresent(stage, focus.element);
  }, [stage, focus]);
}

/** An element of another level exists only after that level was laid out. */
function showWhenPresent(stage: Stage, element: string): (() => void) | undefined {
  const id = element.slice(element.indexOf(":") + 1);
  const isPresent = () => stage.scene.cards.has(id) || stage.scene.arrows.has(id);
  if (isPresent() || !/^(state|transition):/.test(element)) {
    show(stage, element);
    return undefined;
  }
  let frame = 0;
  const stop = stage.scene.subscribe(() => {
    if (!isPresent()) return;
    stop();
    // The level sets its initial view first.
    frame = requestAnimationFrame(() => show(stage, element));
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
}

function show(stage: Stage, element: string): void {
  const { scene } = stage;
  const zoom = Math.max(stage.view.getState().zoom, READABLE_ZOOM);
  if (element.startsWith("state:")) {
    const card = scene.cards.get(element.slice(6));
    if (card) stage.centerOn({ x: card.x + card.w / 2, y: card.y + card.h / 2 }, zoom);
    return;
  }
  stage.fit(boxOf(stage, element), { most: READABLE_ZOOM });
}

/** The rectangle of a state, or around both ends of a transition. */
function boxOf({ scene }: Stage, element: string): Rect | null {
  const id = element.slice(element.indexOf(":") + 1);
  const arrow = scene.arrows.get(id);
  const ids = element.startsWith("state:") ? [id] : arrow ? [arrow.source, arrow.target] : [];
  return union(ids.flatMap((one) => scene.cards.get(one) ?? []));
}

/** Pan to an element that is not in view, now, once it is laid out, and when the canvas is resized. */
function keepInView(stage: Stage, element: string): () => void {
  let frame = 0;
  const look = () => {
    frame = 0;
    const box = boxOf(stage, element);
    if (box && !isInView(stage, box)) stage.reveal(box);
  };
  const ask = () => {
    frame ||= requestAnimationFrame(look);
  };
  const stops = [
    stage.view.subscribe((now, before) => {
      if (now.width !== before.width || now.height !== before.height) ask();
    }),
    ...(boxOf(stage, element) ? [] : [stage.scene.subscribe(ask)]),
  ];
  ask();
  return () => {
    cancelAnimationFrame(frame);
    for (const stop of stops) stop();
  };
}

/** True if the whole rectangle is in view. */
function isInView(stage: Stage, card: Rect): boolean {
  const { x, y, zoom, width, height } = stage.view.getState();
  const [left, top] = [card.x * zoom + x, card.y * zoom + y];
  return left >= 0 && top >= 0 && left + card.w * zoom <= width && top + card.h * zoom <= height;
}
