/** What a run paints over the graph: a view of its fold in the words of the canvas. */

import type { CardStatus, Overlay, Rehearsal, Transition } from "../../session";
import { isFinished } from "./events";
import type { RunView } from "./fold";

const WAITS_FOR_WORLD: ReadonlySet<string> = new Set(["person", "event", "time"]);

/** The level that a state stands on; "" for a graph with one level. */
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

/** What cards say of those who take turns. Whoever waits for a person is shown as that. */
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

/** The arrow that each reply would take, else the one that it was asked for along. */
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
 * Where something is going on. A stay that waits for its own branches is not among them; one that
 * opens another level is, as long as anything goes on there.
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

/** The heat map of a rehearsal: how often each was walked, and which arrows never were. */
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
