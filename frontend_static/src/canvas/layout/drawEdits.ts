/** The part of a drawing that the pack does not store yet: automatic positions, and routes. */

import type { Edit, GraphMaps, State } from "../../session";
import type { Scene } from "../scene/scene";

type Draw = Extract<Edit, { type: "draw" }>;
type Routes = State["routes"];

/**
 * An edit that keeps the drawing, if it is not stored. Once one state has a position, the others
 * must not be laid out differently. Additions of a run are not in the pack and are not stored.
 */
export function drawingEdits(scene: Scene, graph: GraphMaps): Edit[] {
  const { addedBy = {} } = graph;
  const positions: NonNullable<Draw["positions"]> = {};
  const routes: NonNullable<Draw["routes"]> = {};
  for (const { id, state, unplaced, x, y } of scene.cards.values())
    if (state && unplaced && !(id in addedBy)) positions[id] = [Math.round(x), Math.round(y)];
  for (const { id, routes: stored } of graph.states.values()) {
    if (id in addedBy) continue;
    const drawn = scene.drawnRoutes(id);
    if (Object.keys(drawn).length && !isStored(drawn, stored)) routes[id] = drawn;
  }
  const isNew = Object.keys(positions).length > 0 || Object.keys(routes).length > 0;
  return isNew ? [{ type: "draw", positions, routes }] : [];
}

/** True if the stored routes have all drawn ones. Those of removed arrows may remain. */
const isStored = (drawn: NonNullable<Routes>, stored: Routes): boolean =>
  Object.entries(drawn).every(
    ([id, route]) => JSON.stringify(stored?.[id]) === JSON.stringify(route),
  );
