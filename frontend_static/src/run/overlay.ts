/** What a run paints over the graph: a view of its fold in the words of the canvas. */

import type { Overlay, Rehearsal } from "../session";
import { isFinished } from "./events";
import type { RunView } from "./fold";

const FOR_SOMEBODY: ReadonlySet<string> = new Set(["person", "event", "time"]);

export function overlayOf(view: RunView): Overlay {
  const waiting = Object.values(view.waiting).filter((one) => FOR_SOMEBODY.has(one.for));
  return {
    active: new Set(isFinished(view.status) ? [] : busy(view.positions)),
    waiting: new Set(waiting.map((one) => one.state)),
    failed: new Set(view.failedState ? [view.failedState] : []),
    visits: new Map(Object.entries(view.visits)),
    taken: new Map(Object.entries(view.taken)),
    last: view.justTaken ? { transition: view.justTaken, n: view.n } : null,
    unreached: null,
  };
}

/** Where something is going on: a stay that waits for its own branches is not among them. */
function busy(positions: RunView["positions"]): string[] {
  const ids = Object.keys(positions);
  return Object.entries(positions)
    .filter(([id]) => !ids.some((other) => other.startsWith(`${id}.`)))
    .map(([, state]) => state);
}

/** The heat map of a rehearsal: how often each was walked, and which arrows never were. */
export function overlayOfRehearsal(rehearsal: Rehearsal): Overlay {
  return {
    active: new Set(),
    waiting: new Set(),
    failed: new Set(),
    visits: walked(rehearsal.states),
    taken: walked(rehearsal.transitions),
    last: null,
    unreached: new Set(rehearsal.unreached),
  };
}

function walked(counts: Record<string, number>): Map<string, number> {
  return new Map(Object.entries(counts).filter(([, count]) => count > 0));
}
