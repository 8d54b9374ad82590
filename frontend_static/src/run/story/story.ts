/**
 * The log of a run folded into rows: a visit of a state, or a mark for an event outside all visits.
 * Each row has the events that belong to it. Pure.
 */

import { ActiveClock } from "../model/activeClock";
import { actOf, isDenial } from "../log/people";
import { headline, text, type RunEvent } from "../model/events";

export interface StoryRow {
  /** The number of the row's first event. */
  id: number;
  kind: "visit" | "mark";
  /** The first event. */
  event: RunEvent;
  state: string;
  position: string;
  /** The number of the visit of this state, from 1. 0 for a mark. */
  number: number;
  /** The times are without pauses, as `ActiveClock` reads them. */
  at: number;
  /** The time at which the state was left; null if the position is still there. */
  until: number | null;
  events: RunEvent[];
  calls: number;
  tools: number;
  tokens: number;
  cost: number;
  failures: number;
  /** The last failure, as text. */
  problem: string;
  /** Key of an open request → the reason for which it cannot be answered, and the run paused. */
  faults: ReadonlyMap<string, string>;
  /** Keys of the open requests to a person or for an event or a time. */
  waits: ReadonlySet<string>;
  /** The times in which the visit waited for a person or an event; the last may have no end. */
  waited: readonly (readonly [from: number, until: number | null])[];
  /** The transition that was taken, or those to the branches of a fork; null if none was. */
  exit: Exit | null;
}

export interface Exit {
  label: string;
  targets: readonly string[];
}

const MARKS: ReadonlySet<string> = new Set([
  "run.started",
  "run.paused",
  "run.resumed",
  "run.told",
  "run.finished",
  "workspace.closed",
  "workspace.kept",
]);

const WAIT_EVENTS: ReadonlySet<string> = new Set(["approval.asked", "run.waiting"]);
const ANSWER_EVENTS: ReadonlySet<string> = new Set([
  "model.replied",
  "tool.returned",
  "command.finished",
  "approval.given",
  "run.resumed",
  "effect.dropped",
]);
const NO_FAULTS: ReadonlyMap<string, string> = new Map();
const NO_WAITS: ReadonlySet<string> = new Set();

/** Folds a growing log; each event is read once. */
export class StoryBuilder {
  readonly rows: StoryRow[] = [];
  /** Numbers of the events that are in a visit's row only because they happened during it. */
  readonly outside = new Set<number>();
  private read = 0;
  private readonly open = new Map<string, StoryRow>();
  private readonly newest = new Map<string, StoryRow>();
  /** Key of an open request → the visit that made it. */
  private readonly requests = new Map<string, StoryRow>();
  private readonly clock = new ActiveClock();

  constructor(private readonly log: readonly RunEvent[]) {}

  /** True if this builder can continue with the log: it has read a beginning of it. */
  continues(log: readonly RunEvent[]): boolean {
    return this.log === log && this.read <= log.length;
  }

  /** Read the events that were added. Returns true if there were any. */
  update(): boolean {
    const before = this.read;
    for (; this.read < this.log.length; this.read += 1) this.add(this.log[this.read]!);
    return this.read > before;
  }

  private add(event: RunEvent): void {
    const at = this.clock.read(event);
    const position = text(event, "position");
    if (event.type === "state.entered") {
      this.close(position, at);
      const state = text(event, "state");
      const row = newRow(event, at, {
        state,
        position,
        number: (this.newest.get(state)?.number ?? 0) + 1,
      });
      this.rows.push(row);
      this.open.set(position, row);
      this.newest.set(state, row);
      return;
    }
    const visit = this.visitOf(event, position);
    if (visit) {
      visit.events.push(event);
      count(visit, event);
      if (event.type === "transition.taken") leave(visit, event, at);
      if (event.type === "state.left") this.close(position, at);
    }
    this.readRequest(event, visit, at);
    if (event.type === "run.finished") this.finish(event, at);
    if (visit && event.type !== "run.finished") return;
    if (MARKS.has(event.type) || this.rows.length === 0)
      this.rows.push(newRow(event, at, { state: "", position: "", number: 0 }));
    else {
      this.rows.at(-1)!.events.push(event);
      this.outside.add(event.n);
    }
  }

  /** Keep the open requests of visits, and their faults: a pause names only the request's key. */
  private readRequest(event: RunEvent, visit: StoryRow | undefined, at: number): void {
    const key = text(event, "key");
    if (event.type === "run.resumed" && !key) {
      for (const row of this.open.values()) row.faults = NO_FAULTS;
    } else if (ANSWER_EVENTS.has(event.type)) {
      const row = this.requests.get(key);
      if (row) settle(row, key, at);
      this.requests.delete(key);
    } else if (event.type === "run.paused") {
      const unanswered = text(event, "unanswered");
      const row = this.requests.get(unanswered);
      if (!row) return;
      row.faults = new Map([...row.faults, [unanswered, text(event, "reason")]]);
      if (row !== visit) count(row, event);
    } else if (visit && key && ("effect" in event || WAIT_EVENTS.has(event.type))) {
      this.requests.set(key, visit);
      if (!WAIT_EVENTS.has(event.type)) return;
      visit.waits = new Set([...visit.waits, key]);
      const waitsAlready = visit.waited.at(-1)?.[1] === null;
      if (event.for !== "time" && !waitsAlready) visit.waited = [...visit.waited, [at, null]];
    }
  }

  private visitOf(event: RunEvent, position: string): StoryRow | undefined {
    const state =
      event.type === "transition.taken"
        ? text(event, "source")
        : text(event, "state") || text(event, "node");
    const here = this.open.get(position);
    if (here && (!state || here.state === state)) return position || state ? here : undefined;
    return state ? this.newest.get(state) : undefined;
  }

  private finish(event: RunEvent, at: number): void {
    const failed = text(event, "status") === "failed";
    const last = [...this.open.values()].at(-1);
    // A failure that was counted already is the reason for the end.
    if (failed && last?.failures === 0) {
      last.failures += 1;
      last.problem ||= headline(event);
    }
    for (const position of [...this.open.keys()]) this.close(position, at);
  }

  private close(position: string, at: number): void {
    const row = this.open.get(position);
    if (row) {
      row.until ??= at;
      row.waited = ended(row.waited, at);
    }
    this.open.delete(position);
  }
}

/**
 * A transition ends the visit of its own position. A fork's transitions are those of its branches:
 * the state is left when they have joined.
 */
function leave(visit: StoryRow, event: RunEvent, at: number): void {
  const own = text(event, "position") === visit.position;
  if (own) visit.until = at;
  const before = own ? [] : (visit.exit?.targets ?? []);
  visit.exit = { label: text(event, "label"), targets: [...before, text(event, "target")] };
}

/** Seconds in which the visit waited, up to now. */
export const waitedSeconds = (row: Pick<StoryRow, "waited">, now: number): number =>
  row.waited.reduce((sum, [from, until]) => sum + Math.max(0, (until ?? now) - from), 0);

function ended(waited: StoryRow["waited"], at: number): StoryRow["waited"] {
  const last = waited.at(-1);
  return last && last[1] === null ? [...waited.slice(0, -1), [last[0], at]] : waited;
}

function settle(row: StoryRow, key: string, at: number): void {
  if (row.waits.has(key)) row.waits = new Set([...row.waits].filter((one) => one !== key));
  if (row.waits.size === 0) row.waited = ended(row.waited, at);
  if (row.faults.has(key)) row.faults = new Map([...row.faults].filter(([one]) => one !== key));
}

type Visited = Pick<StoryRow, "state" | "position" | "number">;

function newRow(event: RunEvent, at: number, visited: Visited): StoryRow {
  return {
    id: event.n,
    kind: visited.number > 0 ? "visit" : "mark",
    event,
    ...visited,
    at,
    until: visited.number > 0 ? null : at,
    events: [event],
    calls: 0,
    tools: 0,
    tokens: 0,
    cost: 0,
    failures: 0,
    problem: "",
    faults: NO_FAULTS,
    waits: NO_WAITS,
    waited: [],
    exit: null,
  };
}

function count(row: StoryRow, event: RunEvent): void {
  if (event.type === "model.asked") row.calls += 1;
  if (isToolCall(event)) row.tools += 1;
  if (event.type === "model.replied") {
    const usage = (event.usage ?? {}) as Record<string, unknown>;
    row.tokens += amount(usage.input_tokens) + amount(usage.output_tokens);
    row.cost += amount(usage.cost);
  }
  const problem = problemOf(event);
  if (!problem) return;
  row.failures += 1;
  row.problem = problem;
}

/** A call of a model's own turn, or the result of a requested call that no person answered. */
function isToolCall(event: RunEvent): boolean {
  const requested = event.key !== undefined;
  if (event.type === "tool.called") return !requested;
  return event.type === "tool.returned" && requested && !actOf(event);
}

const amount = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The failure, as text; "" for an event that is no failure. The server's `heat` counts the same. */
export function problemOf(event: RunEvent): string {
  if (isDenial(event)) return "";
  switch (event.type) {
    case "model.replied":
      return text(event, "error");
    case "tool.returned":
      return text(event, "error") && `${text(event, "name")}: ${text(event, "error")}`;
    case "tool.refused":
      return `${text(event, "name")}: ${text(event, "error") || text(event, "reason") || "refused"}`;
    case "command.finished":
      return event.exit ? `Exit code ${String(event.exit)}` : "";
    case "check.failed":
      return text(event, "message") || text(event, "name") || "A check failed";
    case "run.paused":
      return text(event, "unanswered") ? text(event, "reason") || "No answer" : "";
    default:
      return "";
  }
}

/** The sums over all rows. */
export function storyTotals(rows: readonly StoryRow[]): {
  visits: number;
  tokens: number;
  cost: number;
  failures: number;
} {
  const sum = { visits: 0, tokens: 0, cost: 0, failures: 0 };
  for (const row of rows) {
    if (row.kind === "visit") sum.visits += 1;
    sum.tokens += row.tokens;
    sum.cost += row.cost;
    sum.failures += row.failures;
  }
  return sum;
}
