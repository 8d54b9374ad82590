/** The overlay that a run's view puts on the canvas. */

import type { CardStatus, Overlay, Rehearsal, Transition } from "../../session";
import { isFinished } from "./events";
import type { RunView } from "./fold";

const WAITS_FOR_WORLD: ReadonlySet<string> = new Set(["person", "event", "time"]);

/** The level of a state; "" in a graph with one level. */
type LevelOf = (state: string) => string;

type Arrows = ReadonlyMap<string, Transition>;

export function overlayOf(
  view: RunView,
  levelOf: LevelOf = () => "",
  arrows: Arrows = new Map(),
): Overlay {
  const waiting = Object.values(view.waiting).filter((one) => WAITS_FOR_WORLD.has(one.for));
  return {
    active: new Set(isFinished(view.status) ? [] : activeStates(view.positions, levelOf)),
    halted: new Set(view.status === "paused" ? haltedStates(view) : []),
    waiting: new Set(waiting.map((one) => one.state)),
    failed: new Set(view.failedState ? [view.failedState] : []),
    visits: new Map(Object.entries(view.visits)),
    taken: new Map(Object.entries(view.taken)),
    lastTaken: new Map(view.justTaken.map(({ transition, n }) => [transition, n])),
    unreached: null,
    breakpoints: isFinished(view.status) ? undefined : new Set(view.breakpoints),
    cardStatus: cardStatuses(view),
    owedReplies: owedReplies(view, arrows),
  };
}

/** The states whose request failed, so that the run paused; see `Waiting.failed`. */
function haltedStates(view: RunView): string[] {
  return Object.values(view.waiting).flatMap((one) => (one.failed ? one.state : []));
}

/**
 * The status of each agent for its card. An agent with an open question to a person counts as
 * waiting.
 */
function cardStatuses(view: RunView): Map<string, CardStatus> {
  const asks = new Set(
    Object.values(view.waiting).flatMap((one) => (one.for === "person" ? one.state : [])),
  );
  const over = isFinished(view.status);
  return new Map(
    Object.entries(view.team.agents).map(([id, agent]) => {
      const stopped = over && agent.status === "running";
      const status = asks.has(id) ? "waiting" : stopped ? "idle" : agent.status;
      return [id, { status, inbox: agent.inbox }];
    }),
  );
}

/**
 * For each owed reply, the transition that it would take, or else the one along which it was
 * requested.
 */
function owedReplies(view: RunView, arrows: Arrows): Map<string, string> {
  const byArrow = new Map<string, string>();
  for (const { by, to } of Object.values(view.team.owedReplies)) {
    const back = [...arrows.values()].find((one) => one.source === by && one.target === to);
    const arrow =
      back ?? [...arrows.values()].find((one) => one.source === to && one.target === by);
    if (arrow) byArrow.set(arrow.id, `${by} owes ${to} a reply`);
  }
  return byArrow;
}

/**
 * The states where something happens. A position that waits for its branches is not active, unless
 * the branches are on another level that it opens.
 */
function activeStates(positions: RunView["positions"], levelOf: LevelOf): string[] {
  const all = Object.entries(positions);
  return all
    .filter(([id, state]) => {
      const branches = all.filter(([other]) => other.startsWith(`${id}.`));
      return !branches.some(([, inner]) => levelOf(inner) === levelOf(state));
    })
    .map(([, state]) => state);
}

/** The overlay of a rehearsal: how often each element was visited, and what was never reached. */
export function overlayOfRehearsal(rehearsal: Rehearsal): Overlay {
  return {
    active: new Set(),
    waiting: new Set(),
    failed: new Set(),
    visits: countsAboveZero(rehearsal.states),
    taken: countsAboveZero(rehearsal.transitions),
    lastTaken: null,
    unreached: new Set(rehearsal.unreached),
  };
}

function countsAboveZero(counts: Record<string, number>): Map<string, number> {
  return new Map(Object.entries(counts).filter(([, count]) => count > 0));
}
