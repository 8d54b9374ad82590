/**
 * Scroll to the element that the session requests: a finding's place, a search result, a
 * counterexample.
 */

import { useEffect } from "react";
import { useSession } from "../../session";
import { union } from "../scene/geometry";
import type { Stage } from "./stage";

const READABLE_ZOOM = 0.9;

export function useFocusRequests(stage: Stage): void {
  const focus = useSession((state) => state.focus);
  useEffect(() => {
    return focus ? showWhenPresent(stage, focus.element) : undefined;
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
  const zoom = Math.max(stage.view.get().zoom, READABLE_ZOOM);
  if (element.startsWith("state:")) {
    const card = scene.cards.get(element.slice(6));
    if (card) stage.centerOn({ x: card.x + card.w / 2, y: card.y + card.h / 2 }, zoom);
    return;
  }
  const arrow = scene.arrows.get(element.replace(/^transition:/, ""));
  const ends = arrow && [scene.cards.get(arrow.source), scene.cards.get(arrow.target)];
  stage.fit(union((ends ?? []).flatMap((card) => card ?? [])), { most: READABLE_ZOOM });
}
