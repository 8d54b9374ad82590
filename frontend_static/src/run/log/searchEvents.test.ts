import { describe, expect, it } from "vitest";
import type { RunEvent } from "../model/events";
import {
  searchEvents,
  typesAndStates,
  nextMatch,
  NO_FILTER,
  type EventFilter,
} from "./searchEvents";

const LOG: RunEvent[] = [
  { n: 1, at: 42, type: "run.started", inputs: { who: "Äpfel & Birnen" } },
  { n: 2, at: 42, type: "state.entered", state: "review", position: "0" },
  {
    n: 3,
    at: 42,
    type: "model.replied",
    state: "review",
    structured: { deep: ["Needle in here"] },
  },
  { n: 4, at: 42, type: "transition.taken", source: "review", target: "done", label: "Approved" },
  { n: 5, at: 42, type: "state.entered", state: "done", position: "0" },
  { n: 6, at: 42, type: "check.failed", state: "done", message: 'Say "no" to review\n100%_' },
];

const search = (filter: Partial<EventFilter>) => searchEvents(LOG, { ...NO_FILTER, ...filter });
const numbers = (events: readonly RunEvent[]) => events.map((event) => event.n);

describe("a search in the log", () => {
  it.each([
    ["needle IN", [3]],
    ["äpfel", [1]],
    ["model.rep", [3]],
    ["approved", [4]],
    ['say "no"', [6]],
    ["%", [6]],
    ["review", [2, 3, 4, 6]],
    ["42", []],
    ["  ", []],
  ])("for %s finds the same events as the server", (query, numbersFound) => {
    const { events: rows, matches } = search({ query });
    expect(numbers(matches)).toEqual(numbersFound);
    expect(rows).toHaveLength(LOG.length);
  });

  it("filters by type, by state and by both", () => {
    expect(numbers(search({ type: "state.entered" }).events)).toEqual([2, 5]);
    expect(numbers(search({ state: "review" }).events)).toEqual([2, 3, 4]);
    expect(numbers(search({ state: "done", type: "state.entered" }).events)).toEqual([5]);
    expect(numbers(search({ state: "done", query: "review" }).matches)).toEqual([4, 6]);
  });

  it("shows only the matches with `only`", () => {
    expect(numbers(search({ query: "review", only: true }).events)).toEqual([2, 3, 4, 6]);
    expect(search({ only: true }).events).toHaveLength(LOG.length);
  });

  it("steps through the matches and wraps around", () => {
    const result = search({ query: "review" });
    expect([0, 2, 3, 5, 6].map((n) => nextMatch(result, n)?.n)).toEqual([2, 3, 4, 6, 2]);
    expect([6, 5, 2].map((n) => nextMatch(result, n, true)?.n)).toEqual([4, 4, 6]);
    expect(nextMatch(search({ query: "nowhere" }), 3)).toBeNull();
  });

  it("lists the types and states of the log", () => {
    const { types, states } = typesAndStates(LOG);
    expect(types).toEqual([
      "check.failed",
      "model.replied",
      "run.started",
      "state.entered",
      "transition.taken",
    ]);
    expect(states).toEqual(["done", "review"]);
  });
});
