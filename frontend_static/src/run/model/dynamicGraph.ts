/** What a run added to its graph, whatever the dialect: events say so in the graph's own words. */

import type { Grown, State, Transition } from "../../session";
import { text, type RunEvent } from "./events";

export const NOTHING_GROWN: Grown = { states: [], transitions: [], by: {} };

const NOWHERE = { x: null, y: null, width: null, height: null, note: "", bound: null };

/** With what this event added. The same object where it added nothing. */
export function grownAfter(grown: Grown, event: RunEvent): Grown {
  const { states, transitions } = addedBy(event);
  if (states.length === 0 && transitions.length === 0) return grown;
  const by = text(event, "state");
  const named = Object.fromEntries([...states, ...transitions].map((one) => [one.id, by]));
  return {
    states: [...grown.states, ...states.map((state) => ({ ...NOWHERE, ...state }))],
    transitions: [...grown.transitions, ...transitions],
    by: { ...grown.by, ...named },
  };
}

function addedBy(event: RunEvent): { states: State[]; transitions: Transition[] } {
  const added = (event.grown ?? {}) as { states?: unknown; transitions?: unknown };
  return { states: listed(added.states), transitions: listed(added.transitions) };
}

function listed<Item>(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}
