/** What a run paints over the graph: a view of its fold in the words of the canvas. */

import type { CardStanding, Overlay, Rehearsal, Transition } from "../../session";
import { isFinished } from "./events";
import type { RunView } from "./fold";

const FOR_SOMEBODY: ReadonlySet<string> = new Set(["person", "event", "time"]);

/** The level that a state stands on; "" for a graph with one level. */
type LevelOf = (state: string) => string;

type Arrows = ReadonlyMap<string, Transition>;

export function overlayOf(view: RunView, levelOf: LevelOf = () => "", arrows: Arrows = new Map()): Overlay {
  const waiting = Object.values(view.waiting).filter((one) => FOR_SOMEBODY.has(one.for));
  return {
    active: new Set(isFinished(view.status) ? [] : busy(view.positions, levelOf)),
    waiting: new Set(waiting.map((one) => one.state)),
    failed: new Set(view.failedState ? [view.failedState] : []),
    visits: new Map(Object.entries(view.visits)),
    taken: new Map(Object.entries(view.taken)),
    last: new Map(view.justTaken.map(({ transition, n }) => [transition, n])),
    unreached: null,
    breakpoints: isFinished(view.status) ? undefined : new Set(view.breakpoints),
    standing: standingOn(view),
    owed: owedAlong(view, arrows),
  };
}

/** What cards say of those who take turns. Whoever waits for a person is shown as that. */
function standingOn(view: RunView): Map<string, CardStanding> {
  const asks = new Set(Object.values(view.waiting).flatMap((one) => (one.for === "person" ? one.state : [])));
  const over = isFinished(view.status);
  return new Map(
    Object.entries(view.team.agents).map(([id, { standing, inbox }]) => {
      const status = asks.has(id) ? "waiting" : over && standing === "running" ? "idle" : standing;
      return [id, { status, inbox }];
    }),
  );
}

/** The arrow that each reply would take, else the one that it was asked for along. */
function owedAlong(view: RunView, arrows: Arrows): Map<string, string> {
  const found = new Map<string, string>();
  for (const { by, to } of Object.values(view.team.owed)) {
    const back = [...arrows.values()].find((one) => one.source === by && one.target === to);
    const arrow = back ?? [...arrows.values()].find((one) => one.source === to && one.target === by);
    if (arrow) found.set(arrow.id, `${by} owes ${to} a reply`);
  }
  return found;
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
