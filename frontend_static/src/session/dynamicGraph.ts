/** The graph with what a shown run added to it. What the pack has by now under the same id wins. */

import type { GraphMaps, Grown } from "./state";

let last: { graph: GraphMaps; grown: Grown; whole: GraphMaps } | null = null;

/** The same object for the same two, so that nothing is drawn again. */
export function withGrown(graph: GraphMaps, grown: Grown | null): GraphMaps {
  if (!grown) return graph;
  if (last?.graph === graph && last.grown === grown) return last.whole;
  const states = new Map(graph.states);
  const transitions = new Map(graph.transitions);
  const by: Record<string, string> = {};
  for (const state of grown.states)
    if (!states.has(state.id)) {
      states.set(state.id, state);
      by[state.id] = grown.by[state.id] ?? "";
    }
  for (const arrow of grown.transitions)
    if (!transitions.has(arrow.id)) {
      transitions.set(arrow.id, arrow);
      by[arrow.id] = grown.by[arrow.id] ?? "";
    }
  const whole = { ...graph, states, transitions, by };
  last = { graph, grown, whole };
  return whole;
}
