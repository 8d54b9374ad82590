/**
 * Search in a run's events by text, type and state. Matches what the API's `events/?search=…`
 * finds.
 */

import { createStore, useStore } from "zustand";
import { eventLine } from "./eventLine";
import type { RunEvent } from "../model/events";

export interface EventFilter {
  query: string;
  type: string;
  state: string;
  /** Leave out bookkeeping events. */
  brief: boolean;
  /** Leave out events that do not match the query. */
  only: boolean;
}

export const NO_FILTER: EventFilter = { query: "", type: "", state: "", brief: false, only: false };

/** A store, so that the search survives switching to another tab. */
export const eventFilter = createStore<EventFilter>(() => NO_FILTER);
export const useEventFilter = (): EventFilter => useStore(eventFilter, (now) => now);

export interface SearchResult {
  events: readonly RunEvent[];
  /** The listed events that match the query; empty without a query. */
  matches: readonly RunEvent[];
}

export function searchEvents(
  log: readonly RunEvent[],
  { query, type, state, brief, only }: EventFilter,
): SearchResult {
  const rows = log.filter(
    (event) =>
      (!type || event.type === type) &&
      (!state || isAbout(event, state)) &&
      (!brief || eventLine(event).tone !== "quiet"),
  );
  const text = asJsonText(query.trim());
  if (!text) return { events: rows, matches: [] };
  const matches = rows.filter((event) => textOf(event).includes(text));
  return { events: only ? matches : rows, matches };
}

/** The next match after event `n`, or the previous one, wrapping around; null without matches. */
export function nextMatch({ matches }: SearchResult, n: number, back = false): RunEvent | null {
  if (back) return matches.findLast((event) => event.n < n) ?? matches.at(-1) ?? null;
  return matches.find((event) => event.n > n) ?? matches[0] ?? null;
}

/** All types and states in the log, sorted. */
export function typesAndStates(log: readonly RunEvent[]): { types: string[]; states: string[] } {
  const types = new Set<string>();
  const states = new Set<string>();
  for (const event of log) {
    types.add(event.type);
    for (const field of STATE_FIELDS)
      if (typeof event[field] === "string" && event[field]) states.add(event[field]);
  }
  return { types: [...types].sort(), states: [...states].sort() };
}

const STATE_FIELDS = ["state", "source", "target"] as const;

function isAbout(event: RunEvent, state: string): boolean {
  return STATE_FIELDS.some((field) => event[field] === state);
}

const textByEvent = new WeakMap<RunEvent, string>();

/** The event's type and fields as lower-case JSON. Cached, because events never change. */
function textOf(event: RunEvent): string {
  let text = textByEvent.get(event);
  if (text === undefined) {
    const { n: _n, at: _at, ...rest } = event;
    text = JSON.stringify(rest).toLowerCase();
    textByEvent.set(event, text);
  }
  return text;
}

/** A text as it appears inside JSON. */
const asJsonText = (text: string) => JSON.stringify(text).slice(1, -1).toLowerCase();
