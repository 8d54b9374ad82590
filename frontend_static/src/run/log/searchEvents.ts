/** Finding events in a log: by their text, type and state. The API's `events/?search=…` finds the same. */

import { createStore, useStore } from "../../ui/store";
import { eventLine } from "./eventLine";
import type { RunEvent } from "../model/events";

export interface EventFilter {
  query: string;
  type: string;
  state: string;
  /** Leave out what is only kept for the record. */
  brief: boolean;
  /** Leave out what does not hold the query. */
  only: boolean;
}

export const NO_FILTER: EventFilter = { query: "", type: "", state: "", brief: false, only: false };

/** What is looked for stays while the person looks at something else of the run. */
export const eventFilter = createStore<EventFilter>(NO_FILTER);
export const useEventFilter = (): EventFilter => useStore(eventFilter, (now) => now);

export interface SearchResult {
  events: readonly RunEvent[];
  /** Those of the rows that hold the query; none where nothing is looked for. */
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

/** The match after event `n`, or before it, and from the end to the start; null where there is none. */
export function nextMatch({ matches }: SearchResult, n: number, back = false): RunEvent | null {
  if (back) return matches.findLast((event) => event.n < n) ?? matches.at(-1) ?? null;
  return matches.find((event) => event.n > n) ?? matches[0] ?? null;
}

/** Every type and state in the log, by name. */
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

/** The type and the fields as compact JSON, in small letters. Written once: events never change. */
function textOf(event: RunEvent): string {
  let text = textByEvent.get(event);
  if (text === undefined) {
    const { n: _n, at: _at, ...rest } = event;
    text = JSON.stringify(rest).toLowerCase();
    textByEvent.set(event, text);
  }
  return text;
}

/** A text as it stands in JSON. */
const asJsonText = (text: string) => JSON.stringify(text).slice(1, -1).toLowerCase();
