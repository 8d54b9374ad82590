/**
 * States and transitions that a run added to its graph or removed from it. Events carry additions
 * in the graph's own format, and removals by id.
 */

import type { DynamicGraph, State, Transition } from "../../session";
import { text, type RunEvent } from "./events";

export const EMPTY_DYNAMIC_GRAPH: DynamicGraph = {
  states: [],
  transitions: [],
  addedBy: {},
  removed: [],
};

const NO_LAYOUT = {
  x: null,
  y: null,
  width: null,
  height: null,
  routes: null,
  note: "",
  bound: null,
  approval_limit: null,
};

/** The dynamic graph after an event. Returns the same object if the event changed nothing. */
export function dynamicGraphAfter(graph: DynamicGraph, event: RunEvent): DynamicGraph {
  const added = partsOf<State, Transition>(event.grown);
  const removed = partsOf<string, string>(event.shrunk);
  const gone = new Set([...removed.states, ...removed.transitions]);
  const fresh = [...added.states, ...added.transitions];
  if (gone.size === 0 && fresh.length === 0) return graph;
  const by = text(event, "state");
  const authors = Object.fromEntries(fresh.map((one) => [one.id, by]));
  const back = new Set(fresh.map((one) => one.id));
  const stays = (one: { id: string }) => !gone.has(one.id);
  return {
    states: [
      ...graph.states.filter(stays),
      ...added.states.map((state) => ({ ...NO_LAYOUT, ...state })),
    ],
    transitions: [...graph.transitions.filter(stays), ...added.transitions],
    addedBy: { ...graph.addedBy, ...authors },
    removed: [...graph.removed, ...gone].filter((id) => !back.has(id)),
  };
}

function partsOf<S, T>(value: unknown): { states: S[]; transitions: T[] } {
  const parts = (value ?? {}) as { states?: unknown; transitions?: unknown };
  return { states: listOrEmpty(parts.states), transitions: listOrEmpty(parts.transitions) };
}

function listOrEmpty<Item>(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}
