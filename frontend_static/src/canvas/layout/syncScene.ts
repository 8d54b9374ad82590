/**
 * Keeps the scene in step with the session's graph, and finds a place for what has none: the whole
 * graph in the worker when nothing was ever placed, otherwise each newcomer beside its neighbours.
 */

import { EMPTY_GRAPH, session, type GraphMaps } from "../../session";
import { arrowLabel } from "../scene/arrowLabel";
import { missingTargets, type Scene } from "../scene/scene";
import type { Point, Rect } from "../scene/geometry";
import { pillWidth, sizeOf, STUB } from "../scene/cardSizes";
import type { Stage } from "../view/stage";
import { layout } from "./client";
import { placeNewStates } from "./placeNewStates";
import type { LayoutTask } from "./layoutTask";

const NO_POSITIONS: ReadonlyMap<string, Point> = new Map();

/** Returns the way to stop. */
export function syncSceneWithSession(stage: Stage): () => void {
  let shown: GraphMaps | null = null;
  let place: string | null = null;
  let turn = 0;
  const stood = new LastPositions();
  const look = () => {
    const { graph, phase } = session.state;
    if (phase !== "ready" || graph === shown) return;
    const here = canvasKey();
    const before = place === here ? shown : null;
    const first = before === null;
    if (first && place !== null) stage.saveView(place);
    if (first) stood.clear();
    place = here;
    shown = graph;
    stage.mode.set({ empty: graph.states.size === 0 });
    void updateScene(stage, graph, before, first ? here : null, ++turn, () => turn, stood);
  };
  look();
  return session.store.subscribe(look);
}

/** One canvas of one pack. */
const canvasKey = (): string => `${session.state.pack}|${session.state.level}`;

async function updateScene(
  stage: Stage,
  graph: GraphMaps,
  before: GraphMaps | null,
  first: string | null,
  mine: number,
  current: () => number,
  stood: LastPositions,
): Promise<void> {
  const { scene } = stage;
  const known = first === null ? undefined : stage.savedView(first);
  if (first !== null) scene.update(EMPTY_GRAPH, NO_POSITIONS);
  if (known) scene.update(graph, known.positions);
  const missing = scene.unplaced(graph);
  const whole = missing.length > 0 && missing.length === graph.states.size;
  if (!whole) {
    // What has a place stands first, so that newcomers see what they must not cover.
    if (first !== null && missing.length) scene.update(graph, NO_POSITIONS);
    const renamed = before ? positionAfterRename(stage, before, graph) : NO_POSITIONS;
    const returned = new Map([...stood.restorable(scene, missing), ...renamed]);
    const places = placeNewStates(scene, graph, missing, returned);
    if (before) stood.remember(scene, before, graph);
    scene.update(graph, places);
  } else {
    stage.mode.set({ layingOut: true });
    const placed = await layout(layoutTaskFor(graph));
    stage.mode.set({ layingOut: false });
    if (mine === current()) scene.update(graph, placed);
    else scene.update(session.state.graph, placed);
  }
  if (first !== null && first === canvasKey()) stage.open(known?.view);
}

/** Where boxes stood that went: what comes back, as when a run is looked back at, stands there again. */
class LastPositions {
  private readonly places = new Map<string, Rect>();

  clear(): void {
    this.places.clear();
  }

  /** Before the scene takes over the graph that lacks them. */
  remember(scene: Scene, before: GraphMaps, graph: GraphMaps): void {
    for (const id of before.states.keys()) {
      const box = graph.states.has(id) ? undefined : scene.boxes.get(id);
      if (box) this.places.set(id, { x: box.x, y: box.y, w: box.w, h: box.h });
    }
  }

  /** Those of the missing whose place is known and still free. */
  restorable(scene: Scene, missing: readonly string[]): Map<string, Point> {
    const back = new Map<string, Point>();
    for (const id of missing) {
      const place = this.places.get(id);
      if (place && !scene.boxIndex.query(place).length) back.set(id, { x: place.x, y: place.y });
    }
    return back;
  }
}

/** A state that changed its name stays where it is. */
function positionAfterRename(stage: Stage, before: GraphMaps, graph: GraphMaps): ReadonlyMap<string, Point> {
  const gone = [...before.states.keys()].filter((id) => !graph.states.has(id));
  const come = [...graph.states.keys()].filter((id) => !before.states.has(id));
  const box = gone.length === 1 && come.length === 1 ? stage.scene.boxes.get(gone[0] as string) : null;
  return box ? new Map([[come[0] as string, { x: box.x, y: box.y }]]) : NO_POSITIONS;
}

export function layoutTaskFor(graph: GraphMaps): LayoutTask {
  const entries = graph.entries.map((entry) => entry.state).filter((id) => graph.states.has(id));
  const order = new Set([...entries, ...graph.states.keys()]);
  const stubs = [...missingTargets(graph).keys()].map((id) => ({ id, ...STUB }));
  const boxes = [...order].map((id) => ({ id, ...sizeOf(graph.states.get(id) as never) }));
  const arrows = [...graph.transitions.values()].map((arrow) => ({
    source: arrow.source,
    target: arrow.target,
    label: pillWidth(arrowLabel(arrow)),
  }));
  return { boxes: [...boxes, ...stubs], arrows };
}
