/** The graph with what a shown run added to it. What the pack has by now under the same id wins. */

import type { GraphMaps, DynamicGraph } from "./state";

let lastMerge: { graph: GraphMaps; dynamic: DynamicGraph; merged: GraphMaps } | null = null;

/** The same object for the same two, so that nothing is drawn again. */
export function withDynamicGraph(graph: GraphMaps, dynamic: DynamicGraph | null): GraphMaps {
  if (!dynamic) return graph;
  if (lastMerge?.graph === graph && lastMerge.dynamic === dynamic) return lastMerge.merged;
  const states = new Map(graph.states);
  const transitions = new Map(graph.transitions);
  const addedBy: Record<string, string> = {};
  for (const state of dynamic.states)
    if (!states.has(state.id)) {
      states.set(state.id, state);
      addedBy[state.id] = dynamic.addedBy[state.id] ?? "";
    }
  for (const arrow of dynamic.transitions)
    if (!transitions.has(arrow.id)) {
      transitions.set(arrow.id, arrow);
      addedBy[arrow.id] = dynamic.addedBy[arrow.id] ?? "";
    }
  const merged = { ...graph, states, transitions, addedBy };
  lastMerge = { graph, dynamic, merged };
  return merged;
}
