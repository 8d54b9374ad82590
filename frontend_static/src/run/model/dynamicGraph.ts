/**
 * States and transitions that a run added to its graph. Events carry them in the graph's own
 * format.
 */

import type { DynamicGraph, State, Transition } from "../../session";
import { text, type RunEvent } from "./events";

export const EMPTY_DYNAMIC_GRAPH: DynamicGraph = { states: [], transitions: [], addedBy: {} };

const NO_LAYOUT = { x: null, y: null, width: null, height: null, note: "", bound: null };

/** The dynamic graph after an event. Returns the same object if the event added nothing. */
export function dynamicGraphAfter(graph: DynamicGraph, event: RunEvent): DynamicGraph {
  const { states, transitions } = additionsOf(event);
  if (states.length === 0 && transitions.length === 0) return graph;
  const by = text(event, "state");
  const authors = Object.fromEntries([...states, ...transitions].map((one) => [one.id, by]));
  return {
    states: [...graph.states, ...states.map((state) => ({ ...NO_LAYOUT, ...state }))],
    transitions: [...graph.transitions, ...transitions],
    addedBy: { ...graph.addedBy, ...authors },
  };
}

function additionsOf(event: RunEvent): { states: State[]; transitions: Transition[] } {
  const added = (event.grown ?? {}) as { states?: unknown; transitions?: unknown };
  return { states: listOrEmpty(added.states), transitions: listOrEmpty(added.transitions) };
}

function listOrEmpty<Item>(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}
