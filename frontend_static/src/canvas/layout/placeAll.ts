/**
 * Place all states of a graph without positions. An empty canvas shows our own layout at once, and
 * the layout of elkjs replaces it unless the person has begun to work.
 */

import { session, type GraphMaps } from "../../session";
import type { Stage } from "../view/stage";
import { layout, savedLayout } from "./client";
import { layoutInLayers } from "./layered";
import { usesElk } from "./layoutGraph";
import { withoutRoutes, type Layout, type LayoutTask } from "./layoutTask";
import { canvasSize, layoutTaskFor } from "./layoutTaskFor";

/** An empty canvas waits this long for elkjs if the graph is small, so that nothing jumps. */
const WAIT_MS = 150;
const MAX_AWAITED_STATES = 40;

/** A first layout. If it is not final, a better one follows. */
export interface FirstLayout {
  layout: Layout;
  final: boolean;
}

/** The layout to show now. `empty`: the canvas shows nothing meanwhile. */
export async function firstLayout(task: LayoutTask, empty: boolean): Promise<FirstLayout> {
  if (!empty || !usesElk(task)) return { layout: await layout(task), final: true };
  const saved = await savedLayout(task);
  const known = saved ?? (await layoutInTime(task));
  if (known) return { layout: known, final: true };
  return { layout: withoutRoutes(layoutInLayers(task)), final: false };
}

function layoutInTime(task: LayoutTask): Promise<Layout | null> {
  if (task.cards.length > MAX_AWAITED_STATES) return Promise.resolve(null);
  const late = new Promise<null>((done) => setTimeout(() => done(null), WAIT_MS));
  return Promise.race([layout(task), late]);
}

/**
 * Replace our own layout by the one of elkjs. A graph that changes meanwhile is laid out again, for
 * example when a run adds states.
 */
export async function refineLayout(stage: Stage): Promise<void> {
  const use = watchUse();
  stage.mode.setState({ refining: true });
  try {
    let graph: GraphMaps;
    let better: Layout;
    do {
      graph = session.state.graph;
      better = await layout(layoutTaskFor(graph, canvasSize(stage)));
      if (use.begun() || !isUnplaced(graph)) return;
    } while (graph !== session.state.graph);
    showLayout(stage, graph, better);
    stage.open();
  } finally {
    use.stop();
    stage.mode.setState({ refining: false });
  }
}

export function showLayout(stage: Stage, graph: GraphMaps, { positions, ...lines }: Layout): void {
  stage.scene.planRoutes(lines);
  stage.scene.update(graph, positions);
}

/** True as long as no position is saved: a saved one keeps all others where they are shown. */
const isUnplaced = (graph: GraphMaps): boolean =>
  [...graph.states.values()].every((state) => state.x === null);

/** `begun` is true once the person has pressed a button or key or turned the wheel on the page. */
function watchUse(): { begun: () => boolean; stop: () => void } {
  const listening = new AbortController();
  const options = { capture: true, passive: true, signal: listening.signal };
  let begun = false;
  for (const type of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(type, () => (begun = true), options);
  return {
    begun: () => begun || session.state.selection.size > 0,
    stop: () => listening.abort(),
  };
}
