/**
 * The canvas folds recorded runs to the same views as the server. The same vectors run in
 * `tests/engine/test_fold_vectors.py`; `tests/vectors/fold/README.md` describes them.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFinished, type RunEvent } from "./events";
import { ActiveClock } from "./activeClock";
import { activeSeconds, fold, foldTo, INITIAL_VIEW, type RunView } from "./fold";

const FOLDER = join("..", "tests", "vectors", "fold");

interface Shared {
  n: number;
  status: string;
  [field: string]: unknown;
}

interface Vector {
  name: string;
  about: string;
  events: RunEvent[];
  statuses: [number, string][];
  views: Shared[];
}

const VECTORS = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as Vector);

/** The part of a view that the server and the canvas share. */
function sharedView(view: RunView): Shared {
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const map = <Item, Value>(from: Readonly<Record<string, Item>>, to: (item: Item) => Value) =>
    Object.fromEntries(Object.entries(from).map(([key, item]) => [key, to(item)]));
  return {
    n: view.n,
    at: view.at,
    status: view.status,
    reason: isFinished(view.status) ? view.reason : "",
    started_at: view.startedAt,
    active_seconds: Math.round(activeSeconds(view) * 1e6) / 1e6,
    positions: { ...view.positions },
    visits: { ...view.visits },
    taken: { ...view.taken },
    pending: map(view.waiting, ({ position, state, for: whom }) => ({
      position,
      state,
      for: whom,
    })),
    artifacts: map(view.artifacts, ({ value }) => value),
    breakpoints: [...view.breakpoints],
    spent: {
      visits: sum(view.visits),
      transitions: sum(view.taken),
      model_calls: view.modelCalls,
      tool_calls: view.toolCalls,
      input_tokens: view.inputTokens,
      output_tokens: view.outputTokens,
      cost: view.cost,
    },
    grown: {
      states: view.dynamicGraph.states.map(({ id }) => id),
      transitions: view.dynamicGraph.transitions.map(({ id }) => id),
    },
  };
}

function statusesIn(events: readonly RunEvent[]): [number, string][] {
  const changes: [number, string][] = [];
  let view = INITIAL_VIEW;
  for (const event of events) {
    const next = fold(view, event);
    if (next.status !== view.status) changes.push([next.n, next.status]);
    view = next;
  }
  return changes;
}

test("there are at least 50 vectors", () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(50);
});

test.each(VECTORS)("$name", ({ events, statuses, views }) => {
  for (const view of views) expect(sharedView(foldTo(events, view.n))).toEqual(view);
  expect(statusesIn(events)).toEqual(statuses);
});

test.each(VECTORS)("$name: the clock of a log agrees with the fold", ({ events }) => {
  const clock = new ActiveClock();
  let view = INITIAL_VIEW;
  for (const event of events) {
    view = fold(view, event);
    expect(clock.read(event)).toBeCloseTo(view.at - view.idleSeconds, 6);
  }
});
