/**
 * The graph with the states and transitions that a run added, without those that it removed. The
 * pack wins where an id exists in both.
 */

import { emptyState } from "./optimisticEdits";
import type { GraphMaps, DynamicGraph } from "./state";

let lastMerge: { graph: GraphMaps; dynamic: DynamicGraph; merged: GraphMaps } | null = null;

/**
 * Merge the two graphs. Cached, so that equal inputs give the same object and nothing re-renders.
 */
export function withDynamicGraph(graph: GraphMaps, dynamic: DynamicGraph | null): GraphMaps {
  if (!dynamic) return graph;
  if (lastMerge?.graph === graph && lastMerge.dynamic === dynamic) return lastMerge.merged;
  const states = new Map(graph.states);
  const transitions = new Map(graph.transitions);
  const addedBy: Record<string, string> = {};
  for (const id of dynamic.removed) {
    states.delete(id);
    transitions.delete(id);
  }
  for (const state of dynamic.states)
    if (!states.has(state.id)) {
      // Events of a log have no prompts.
      states.set(state.id, { ...emptyState(state.id, state.kind), ...state });
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
