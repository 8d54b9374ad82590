/**
 * Routes of the layout for states that are still where a layout put them. They are planned after
 * the first frame, because the graph can be drawn without them.
 */

import type { GraphMaps } from "../../session";
import type { Stage } from "../view/stage";
import { layout } from "./client";
import { usesElk } from "./layoutGraph";
import { canvasSize, layoutTaskFor } from "./layoutTaskFor";

/** Milliseconds after which a busy page plans the routes anyway. */
const LATEST_MS = 2_000;

/** `isShown`: the canvas still shows the level that was opened. */
export function restoreRoutes(stage: Stage, graph: GraphMaps, isShown: () => boolean): void {
  afterFirstFrame(() => {
    if (!isShown()) return;
    const task = layoutTaskFor(graph, canvasSize(stage));
    if (!usesElk(task)) return;
    void layout(task).then((lines) => {
      if (isShown()) stage.scene.planRoutes(lines);
    });
  });
}

/** Safari has no idle callbacks. */
function afterFirstFrame(act: () => void): void {
  requestAnimationFrame(() => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(act, { timeout: LATEST_MS });
    else setTimeout(act);
  });
}
