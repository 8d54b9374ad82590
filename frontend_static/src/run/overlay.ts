/** What a run paints over the graph: a view of its fold in the words of the canvas. */

import type { Overlay, Rehearsal } from "../session";
import { isFinished } from "./events";
import type { RunView } from "./fold";

const FOR_SOMEBODY: ReadonlySet<string> = new Set(["person", "event", "time"]);

/** The level that a state stands on; "" for a graph with one level. */
type LevelOf = (state: string) => string;

export function overlayOf(view: RunView, levelOf: LevelOf = () => ""): Overlay {
  const waiting = Object.values(view.waiting).filter((one) => FOR_SOMEBODY.has(one.for));
  return {
    active: new Set(isFinished(view.status) ? [] : busy(view.positions, levelOf)),
    waiting: new Set(waiting.map((one) => one.state)),
    failed: new Set(view.failedState ? [view.failedState] : []),
    visits: new Map(Object.entries(view.visits)),
    taken: new Map(Object.entries(view.taken)),
    last: view.justTaken ? { transition: view.justTaken, n: view.n } : null,
    unreached: null,
    breakpoints: new Set(view.breakpoints),
  };
}

/**
 * Where something is going on. A stay that waits for its own branches is not among them; one that
 * opens another level is, as long as anything goes on there.
 */
function busy(positions: RunView["positions"], levelOf: LevelOf): string[] {
  const all = Object.entries(positions);
  return all
    .filter(([id, state]) => {
      const branches = all.filter(([other]) => other.startsWith(`${id}.`));
      return !branches.some(([, inner]) => levelOf(inner) === levelOf(state));
    })
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
