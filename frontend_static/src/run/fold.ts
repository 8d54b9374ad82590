/**
 * A run is its numbered events: what is drawn of it at any moment is a fold over those up to there.
 * Watching live, reloading, scrubbing back and showing an old run are this one function.
 */

import { text, type RunEvent, type RunStatus } from "./events";

export interface Waiting {
  key: string;
  position: string;
  state: string;
  /** "model" and "tool" are under way; "person", "event" and "time" wait for the world. */
  for: "model" | "tool" | "command" | "person" | "event" | "time";
}

export interface KeptValue {
  value: unknown;
  state: string;
  n: number;
  writes: number;
}

export interface RunView {
  n: number;
  at: number;
  status: RunStatus;
  reason: string;
  startedAt: number;
  /** position id → state id: where the run is now. Several after a fork. */
  positions: Readonly<Record<string, string>>;
  visits: Readonly<Record<string, number>>;
  /** transition id → how often it was taken. */
  taken: Readonly<Record<string, number>>;
  /** The arrow taken last, until the next one. */
  justTaken: string | null;
  waiting: Readonly<Record<string, Waiting>>;
  failedState: string | null;
  artifacts: Readonly<Record<string, KeptValue>>;
  prompts: number;
  modelCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

export const START: RunView = {
  n: 0,
  at: 0,
  status: "new",
  reason: "",
  startedAt: 0,
  positions: {},
  visits: {},
  taken: {},
  justTaken: null,
  waiting: {},
  failedState: null,
  artifacts: {},
  prompts: 0,
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** The view after one more event. Pure; an event of a type it does not know only moves the number. */
export function fold(view: RunView, event: RunEvent): RunView {
  return { ...view, n: event.n, at: event.at, ...changed(view, event) };
}

/** The view after the first `n` events of a log that is in order. */
export function foldTo(events: readonly RunEvent[], n: number, from: RunView = START): RunView {
  let view = from;
  for (let index = from.n; index < events.length; index += 1) {
    const event = events[index];
    if (event === undefined || event.n > n) break;
    view = fold(view, event);
  }
  return view;
}

function changed(view: RunView, event: RunEvent): Partial<RunView> {
  switch (event.type) {
    case "run.started":
      return { status: "running", startedAt: event.at };
    case "state.entered":
      return entered(view, event);
    case "state.left":
      return { positions: without(view.positions, text(event, "position")) };
    case "transition.taken":
      return taken(view, event);
    case "prompt.logged":
      return { prompts: view.prompts + 1 };
    case "model.asked":
      return { modelCalls: view.modelCalls + 1, ...asked(view, event, "model") };
    case "model.replied":
      return { ...answered(view, event), ...spent(view, event) };
    case "tool.called":
      return { toolCalls: view.toolCalls + 1, ...asked(view, event, "tool") };
    case "command.asked":
      return asked(view, event, "command");
    case "approval.asked":
      return { status: "waiting", ...asked(view, event, "person") };
    case "tool.returned":
    case "command.finished":
    case "approval.given":
      return answered(view, event);
    case "artifact.set":
      return { artifacts: { ...view.artifacts, [text(event, "name")]: kept(view, event) } };
    case "run.waiting":
      return { status: "waiting", ...asked(view, event, waitsFor(event)) };
    case "run.paused":
      return { status: "paused", reason: text(event, "reason") };
    case "run.resumed":
      return { status: "running", reason: "" };
    case "run.finished":
      return finished(view, event);
    default:
      return {};
  }
}

function entered(view: RunView, event: RunEvent): Partial<RunView> {
  const state = text(event, "state");
  const counted = typeof event.visit === "number" ? event.visit : 0;
  return {
    status: view.status === "waiting" ? "running" : view.status,
    positions: { ...view.positions, [text(event, "position")]: state },
    visits: { ...view.visits, [state]: Math.max(counted, (view.visits[state] ?? 0) + 1) },
  };
}

function taken(view: RunView, event: RunEvent): Partial<RunView> {
  const id = transitionOf(event);
  return {
    status: view.status === "waiting" ? "running" : view.status,
    justTaken: id,
    taken: { ...view.taken, [id]: (view.taken[id] ?? 0) + 1 },
  };
}

/** The id `source|label|target` of the arrow that this event took. */
export function transitionOf(event: RunEvent): string {
  const given = text(event, "transition");
  return given || [text(event, "source"), text(event, "label"), text(event, "target")].join("|");
}

function asked(view: RunView, event: RunEvent, what: Waiting["for"]): Partial<RunView> {
  const key = text(event, "key");
  const position = text(event, "position");
  const known = view.waiting[key];
  const state = text(event, "state") || known?.state || view.positions[position] || "";
  return { waiting: { ...view.waiting, [key]: { key, position, state, for: what } } };
}

function answered(view: RunView, event: RunEvent): Partial<RunView> {
  const waiting = without(view.waiting, text(event, "key"));
  const stillWaits = Object.values(waiting).some((one) => one.for === "person");
  return { waiting, status: view.status === "waiting" && !stillWaits ? "running" : view.status };
}

function waitsFor(event: RunEvent): Waiting["for"] {
  const what = text(event, "for");
  return what === "event" || what === "time" ? what : "person";
}

function spent(view: RunView, event: RunEvent): Partial<RunView> {
  const usage = (event.usage ?? {}) as Record<string, unknown>;
  const number = (field: string) => (typeof usage[field] === "number" ? usage[field] : 0);
  return {
    inputTokens: view.inputTokens + number("input_tokens"),
    outputTokens: view.outputTokens + number("output_tokens"),
    cost: view.cost + number("cost"),
  };
}

function kept(view: RunView, event: RunEvent): KeptValue {
  const before = view.artifacts[text(event, "name")];
  return {
    value: event.mode === "append" ? appended(before?.value, event.value) : event.value,
    state: text(event, "state"),
    n: event.n,
    writes: (before?.writes ?? 0) + 1,
  };
}

function appended(before: unknown, value: unknown): unknown {
  if (before === undefined || before === null || before === "") return value;
  if (Array.isArray(before)) return [...before, ...(Array.isArray(value) ? value : [value])];
  return `${String(before)}\n${String(value)}`;
}

function finished(view: RunView, event: RunEvent): Partial<RunView> {
  const status = (text(event, "status") || "completed") as RunStatus;
  const last = Object.values(view.positions).at(-1) ?? null;
  return {
    status,
    reason: text(event, "reason"),
    waiting: {},
    failedState: status === "failed" ? last : null,
  };
}

function without<Value>(
  map: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> {
  if (!(key in map)) return map;
  const { [key]: _gone, ...rest } = map;
  return rest;
}
