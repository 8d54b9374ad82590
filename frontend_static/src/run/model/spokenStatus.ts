/** The announcement of a run to people who do not see the canvas. */

import { isFinished, statusLabel } from "./events";
import type { RunView } from "./fold";

/** One sentence or two about the newest event; "" before the first state. */
export function spokenStatus(view: RunView): string {
  const visits = Object.values(view.visits).reduce((sum, count) => sum + count, 0);
  const here = list(Object.values(view.positions));
  if (isFinished(view.status)) {
    const label = statusLabel(view.status);
    return `Run ${label} after ${visits} ${visits === 1 ? "visit" : "visits"}.`;
  }
  const asking = Object.values(view.waiting).filter((one) => one.for === "person");
  if (asking.length > 0) return `Run waits for you in ${list(asking.map((one) => one.state))}.`;
  if (view.status === "paused") return `Run paused in ${here}.`;
  if (!here) return "";
  const states = [...new Set(Object.values(view.positions))];
  return `Run in ${list(states.map((state) => named(state, view.visits[state] ?? 1)))}.`;
}

const named = (state: string, visit: number): string =>
  visit > 1 ? `${state}, visit ${visit}` : state;

const list = (states: readonly string[]): string => [...new Set(states)].join(" and ");
