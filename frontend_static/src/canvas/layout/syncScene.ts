/**
 * Keep the scene in sync with the session's graph and place states without a position: the whole
 * graph if none has a position, else each new state next to its neighbours.
 */

import { EMPTY_GRAPH, session, type GraphMaps } from "../../session";
import { renamesBetween } from "../scene/renames";
import type { Scene } from "../scene/scene";
import type { Point, Rect } from "../scene/geometry";
import type { Stage } from "../view/stage";
import { layout } from "./client";
import { drawingEdits } from "./drawEdits";
import { layoutTaskFor } from "./layoutTaskFor";
import { placeNewStates } from "./placeNewStates";

const NO_POSITIONS: ReadonlyMap<string, Point> = new Map();

/** Returns a function that stops the synchronisation. */
export function syncSceneWithSession(stage: Stage): () => void {
  let shownGraph: GraphMaps | null = null;
  let place: string | null = null;
  let turn = 0;
  const lastPositions = new LastPositions();
  const update = () => {
    const { graph, phase } = session.state;
    if (phase !== "ready" || graph === shownGraph) return;
    const here = canvasKey();
    const before = place === here ? shownGraph : null;
    const first = before === null;
    if (first && place !== null) stage.saveView(place);
    if (first) lastPositions.clear();
    place = here;
    shownGraph = graph;
    stage.mode.setState({ empty: graph.states.size === 0 });
    void updateScene(stage, graph, before, first ? here : null, ++turn, () => turn, lastPositions);
  };
  update();
  session.keepDrawing(() => drawingEdits(stage.scene, session.state.graph));
  const unsubscribe = session.store.subscribe(update);
  return () => {
    session.keepDrawing(null);
    unsubscribe();
  };
}

/** Identifies a pack and level. */
const canvasKey = (): string => `${session.state.pack}|${session.state.level}`;

async function updateScene(
  stage: Stage,
  graph: GraphMaps,
  before: GraphMaps | null,
  first: string | null,
  mine: number,
  current: () => number,
  lastPositions: LastPositions,
): Promise<void> {
  const { scene } = stage;
  const saved = first === null ? undefined : stage.savedView(first);
  if (first !== null) scene.update(EMPTY_GRAPH, NO_POSITIONS);
  if (saved) scene.update(graph, saved.positions);
  const missing = scene.unplaced(graph);
  const nothingPlaced =
    (missing.length > 0 && missing.length === graph.states.size) || scene.hasLostPositions(graph);
  if (!nothingPlaced) {
    // States with positions are added first, so that new states are placed around them.
    if (first !== null && missing.length) scene.update(graph, NO_POSITIONS);
    const renamed = before ? positionsAfterRenames(stage, before, graph) : NO_POSITIONS;
    const returned = new Map([...lastPositions.restorable(scene, missing), ...renamed]);
    const positions = placeNewStates(scene, graph, missing, returned);
    if (before) lastPositions.remember(scene, before, graph);
    scene.update(graph, positions);
  } else {
    stage.mode.setState({ layingOut: true });
    const { positions, routes } = await layout(layoutTaskFor(graph));
    stage.mode.setState({ layingOut: false });
    scene.planRoutes(routes);
    scene.update(mine === current() ? graph : session.state.graph, positions);
  }
  if (first !== null && first === canvasKey()) stage.open(saved?.view);
}

/**
 * Last positions of removed states. A state that returns, for example while scrubbing through a
 * run, gets its old place.
 */
class LastPositions {
  private readonly places = new Map<string, Rect>();

  clear(): void {
    this.places.clear();
  }

  /** Call this before the scene takes over the graph without the states. */
  remember(scene: Scene, before: GraphMaps, graph: GraphMaps): void {
    for (const id of before.states.keys()) {
      const card = graph.states.has(id) ? undefined : scene.cards.get(id);
      if (card) this.places.set(id, { x: card.x, y: card.y, w: card.w, h: card.h });
    }
  }

  /** The missing states whose last position is known and still free. */
  restorable(scene: Scene, missing: readonly string[]): Map<string, Point> {
    const back = new Map<string, Point>();
    for (const id of missing) {
      const place = this.places.get(id);
      if (place && !scene.cardIndex.query(place).length) back.set(id, { x: place.x, y: place.y });
    }
    return back;
  }
}

/** Renamed states keep their positions. */
function positionsAfterRenames(
  { scene }: Stage,
  before: GraphMaps,
  graph: GraphMaps,
): ReadonlyMap<string, Point> {
  const positions = new Map<string, Point>();
  for (const [id, next] of renamesBetween(before, graph).states) {
    const card = scene.cards.get(id);
    if (card) positions.set(next, { x: card.x, y: card.y });
  }
  return positions;
}
