/** The visits of a state in a run, each with its events. Pure. */

import { ActiveClock } from "../model/activeClock";
import { text, type RunEvent } from "../model/events";

export interface Visit {
  /** The number of the visit, from 1. */
  number: number;
  position: string;
  /** The number of the event with which the visit began. */
  n: number;
  /** The times are without pauses, as `ActiveClock` reads them. */
  at: number;
  /** The time at which the state was left; null if the position is still there. */
  until: number | null;
  events: readonly RunEvent[];
  /** The transition that was taken: its label and its target; null if none was. */
  exit: { label: string; target: string; redirected: boolean } | null;
}

type Growing = Visit & { events: RunEvent[] };

/** The visits of `state` in order. Several positions may be there at once. */
export function visitsOf(events: readonly RunEvent[], state: string): Visit[] {
  const visits: Growing[] = [];
  const open = new Map<string, Growing>();
  const clock = new ActiveClock();
  for (const event of events) {
    const at = clock.read(event);
    const position = text(event, "position");
    if (event.type === "run.finished") {
      closeAll(open, at);
      continue;
    }
    if (event.type === "transition.taken" && text(event, "source") === state) {
      const left = open.get(position);
      if (left) leave(left, event, at);
      continue;
    }
    if (!concerns(event, state)) {
      // The position is elsewhere now, so an older log's visit ends without `state.left`.
      if (event.type === "state.entered") end(open, position, at);
      continue;
    }
    if (event.type === "state.entered") {
      end(open, position, at);
      const visit: Growing = {
        number: visits.length + 1,
        position,
        n: event.n,
        at,
        until: null,
        events: [],
        exit: null,
      };
      visits.push(visit);
      open.set(position, visit);
    }
    const visit = open.get(position) ?? [...open.values()].at(-1) ?? visits.at(-1);
    visit?.events.push(event);
    if (event.type === "state.left") end(open, position, at);
  }
  return visits;
}

function concerns(event: RunEvent, state: string): boolean {
  return text(event, "state") === state || text(event, "node") === state;
}

function leave(visit: Growing, event: RunEvent, at: number): void {
  visit.exit = {
    label: text(event, "label"),
    target: text(event, "target"),
    redirected: event.redirected === true,
  };
  visit.until = at;
}

function end(open: Map<string, Growing>, position: string, at: number): void {
  const visit = open.get(position);
  if (visit) visit.until ??= at;
  open.delete(position);
}

function closeAll(open: Map<string, Growing>, at: number): void {
  for (const visit of open.values()) visit.until ??= at;
  open.clear();
}
