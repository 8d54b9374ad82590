/**
 * The view of a run at an event is a fold over the events up to there. Live view, reload, scrubbing
 * and old runs all use this function.
 */

import type { CoreEvent, DynamicGraph } from "../../session";
import { headline, isFinished, text, type RunEvent, type RunStatus } from "./events";
import { dynamicGraphAfter, EMPTY_DYNAMIC_GRAPH } from "./dynamicGraph";
import { EMPTY_TEAM, teamAfter, type Team } from "./team";

export interface Waiting {
  key: string;
  position: string;
  state: string;
  /**
   * "model", "tool" and "command" are being worked on; "person", "event" and "time" wait for
   * something outside the run.
   */
  for: "model" | "tool" | "command" | "person" | "event" | "time";
  /** True if it cannot be answered now, and the run paused for that reason. */
  failed?: boolean;
}

export interface ArtifactValue {
  value: unknown;
  state: string;
  n: number;
  writes: number;
}

export interface TakenTransition {
  transition: string;
  n: number;
}

export interface RunView {
  n: number;
  at: number;
  status: RunStatus;
  reason: string;
  startedAt: number;
  /** Seconds in which nothing happened: paused, not yet a fork, without a worker, or ended. */
  idleSeconds: number;
  /** Seconds, among the others, in which the run only waited for people or their events. */
  waitedSeconds: number;
  /** Numbers of the events after which a fork continued its origin, and that one its own origin. */
  forkPoints: readonly number[];
  /** Position id → state id. Several positions after a fork. */
  positions: Readonly<Record<string, string>>;
  visits: Readonly<Record<string, number>>;
  /** Transition id → number of times it was taken. */
  taken: Readonly<Record<string, number>>;
  /** The transitions taken last; several if they were taken together. */
  justTaken: readonly TakenTransition[];
  /** The states and transitions that the run has added. */
  dynamicGraph: DynamicGraph;
  /** The number of the last event that took a transition or entered a state. */
  lastMoved: number;
  /** The agents of the run. */
  team: Team;
  waiting: Readonly<Record<string, Waiting>>;
  /** Ids of states and transitions at which the run pauses. */
  breakpoints: readonly string[];
  failedState: string | null;
  artifacts: Readonly<Record<string, ArtifactValue>>;
  /** The commit of what the run changed in a repository, "" for none. */
  savedCommit: string;
  prompts: number;
  modelCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

export const INITIAL_VIEW: RunView = {
  n: 0,
  at: 0,
  status: "new",
  reason: "",
  startedAt: 0,
  idleSeconds: 0,
  waitedSeconds: 0,
  forkPoints: [],
  positions: {},
  visits: {},
  taken: {},
  justTaken: [],
  dynamicGraph: EMPTY_DYNAMIC_GRAPH,
  lastMoved: 0,
  team: EMPTY_TEAM,
  waiting: {},
  breakpoints: [],
  failedState: null,
  artifacts: {},
  savedCommit: "",
  prompts: 0,
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** The view after one more event. Pure. An event of an unknown type changes only the number. */
export function fold(view: RunView, event: RunEvent): RunView {
  const next: RunView = { ...view, n: event.n, at: event.at, ...changesOf(view, event) };
  const passed = Math.max(0, event.at - view.at);
  if (isIdle(view)) next.idleSeconds += passed;
  else if (waitsForPeople(view)) next.waitedSeconds += passed;
  if (event.type === "effect.repeated" && typeof event.idle === "number")
    next.idleSeconds += event.idle;
  if (MOVE_EVENTS.has(event.type)) next.lastMoved = event.n;
  next.waiting = waitingAfter(next, event);
  next.dynamicGraph = dynamicGraphAfter(view.dynamicGraph, event);
  next.team = teamAfter(view.team, event);
  if (!isFinished(next.status)) next.status = statusOf(next);
  return next;
}

const isIdle = ({ status, forkPoints, n }: RunView): boolean =>
  status === "paused" || isFinished(status) || forkPoints.includes(n);

/** True for a run that only waits, and not only for a time. */
export const waitsForPeople = ({ status, waiting }: RunView): boolean =>
  status === "waiting" && Object.values(waiting).some((one) => one.for !== "time");

/** The artifact that has the diff of what a run changed in its workspace. */
const WORKSPACE_DIFF = "workspace.diff";

const MOVE_EVENTS: ReadonlySet<string> = new Set(["transition.taken", "state.entered"]);

/** The view after the first `n` events of an ordered log. */
export function foldTo(
  events: readonly RunEvent[],
  n: number,
  from: RunView = INITIAL_VIEW,
): RunView {
  let view = from;
  for (let index = from.n; index < events.length; index += 1) {
    const event = events[index];
    if (event === undefined || event.n > n) break;
    view = fold(view, event);
  }
  return view;
}

/** Seconds from the start to `now`, without the idle ones. */
export function activeSeconds(view: RunView, now: number = view.at): number {
  return view.startedAt > 0 ? Math.max(0, now - view.startedAt - view.idleSeconds) : 0;
}

/** Every shared event type. The compiler reports one that is missing here or in `changesOf`. */
const CORE_TYPES: Readonly<Record<CoreEvent["type"], true>> = {
  "run.started": true,
  "state.entered": true,
  "prompt.logged": true,
  "model.asked": true,
  "model.replied": true,
  "tool.asked": true,
  "tool.called": true,
  "tool.returned": true,
  "tool.refused": true,
  "tool.allowed": true,
  "tool.revoked": true,
  "command.asked": true,
  "command.finished": true,
  "check.passed": true,
  "check.failed": true,
  "intent.read": true,
  "artifact.set": true,
  "approval.asked": true,
  "approval.given": true,
  "transition.taken": true,
  "state.left": true,
  "run.paused": true,
  "run.resumed": true,
  "run.breakpoints": true,
  "run.told": true,
  "run.fired": true,
  "effect.dropped": true,
  "effect.allowed": true,
  "effect.repeated": true,
  "run.waiting": true,
  "run.finished": true,
  "workspace.closed": true,
  "workspace.kept": true,
};

function isCoreEvent(event: RunEvent): event is CoreEvent {
  return Object.hasOwn(CORE_TYPES, event.type);
}

function changesOf(view: RunView, event: RunEvent): Partial<RunView> {
  if (!isCoreEvent(event)) return {};
  switch (event.type) {
    case "run.started":
      return {
        status: "running",
        startedAt: event.at,
        breakpoints: idsIn(event.breakpoints),
        forkPoints: forkPoints(event.forked_from),
      };
    case "state.entered":
      return enteredState(view, event);
    case "state.left":
      return event.joined ? { positions: withoutKey(view.positions, text(event, "position")) } : {};
    case "transition.taken":
      return takenTransition(view, event);
    case "prompt.logged":
      return { prompts: view.prompts + 1 };
    case "model.asked":
      return { modelCalls: view.modelCalls + 1 };
    case "effect.repeated":
      return event.for === undefined ? { modelCalls: view.modelCalls + 1 } : {};
    case "model.replied":
      return addedUsage(view, event);
    case "tool.called":
      return { toolCalls: view.toolCalls + 1 };
    case "artifact.set":
      return { artifacts: { ...view.artifacts, [text(event, "name")]: nextArtifact(view, event) } };
    case "run.paused":
      return { status: "paused", reason: text(event, "reason") || view.reason };
    case "run.breakpoints":
      return { breakpoints: idsIn(event.ids) };
    case "run.resumed":
      return "key" in event ? {} : { status: "running", reason: "" };
    case "run.finished":
      return finishedRun(view, event);
    case "workspace.closed":
      return closedWorkspace(view, event);
    case "tool.asked":
    case "tool.returned":
    case "tool.refused":
    case "tool.allowed":
    case "tool.revoked":
    case "command.asked":
    case "command.finished":
    case "check.passed":
    case "check.failed":
    case "intent.read":
    case "approval.asked":
    case "approval.given":
    case "run.told":
    case "run.fired":
    case "effect.dropped":
    case "effect.allowed":
    case "run.waiting":
    case "workspace.kept":
      return {};
    default:
      return event satisfies never;
  }
}

/** The fork points in the origin that a fork names in its first event. */
export function forkPoints(origin: unknown): number[] {
  const { earlier, at } = (origin ?? {}) as { earlier?: unknown; at?: unknown };
  return [...(Array.isArray(earlier) ? earlier : []), at].filter((n) => typeof n === "number");
}

function idsIn(ids: unknown): readonly string[] {
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** A run waits if all its open requests are to people, events or time. */
function statusOf(view: RunView): RunStatus {
  if (view.status === "new" || view.status === "paused") return view.status;
  const open = Object.values(view.waiting);
  return open.length > 0 && open.every((one) => WAITS_FOR_WORLD.has(one.for))
    ? "waiting"
    : "running";
}

function enteredState(view: RunView, event: RunEvent): Partial<RunView> {
  const state = text(event, "state");
  return {
    positions: { ...view.positions, [text(event, "position")]: state },
    visits: { ...view.visits, [state]: (own(view.visits, state) ?? 0) + 1 },
  };
}

function takenTransition(view: RunView, event: RunEvent): Partial<RunView> {
  const id = transitionOf(event);
  const now = { transition: id, n: event.n };
  return {
    justTaken: tookTogether(view, event) ? [...view.justTaken, now] : [now],
    taken: { ...view.taken, [id]: (own(view.taken, id) ?? 0) + 1 },
  };
}

/** True if at most an entered state is between this event and the last transition. */
function tookTogether(view: RunView, event: RunEvent): boolean {
  const last = view.justTaken.at(-1);
  return last !== undefined && event.n - last.n <= 2 && view.lastMoved === view.n;
}

/** The id `source|label|target` of the taken transition. */
function transitionOf(event: RunEvent): string {
  const transition = text(event, "transition");
  return (
    transition || [text(event, "source"), text(event, "label"), text(event, "target")].join("|")
  );
}

const REQUEST_EVENTS: ReadonlySet<string> = new Set([
  "model.asked",
  "tool.asked",
  // In logs from before `tool.asked`.
  "tool.called",
  "command.asked",
  "approval.asked",
  "run.waiting",
]);
const RESPONSE_EVENTS: ReadonlySet<string> = new Set([
  "model.replied",
  "tool.returned",
  "command.finished",
  "approval.given",
  "run.resumed",
  "effect.dropped",
]);
const WAITS_FOR_WORLD: ReadonlySet<Waiting["for"]> = new Set(["person", "event", "time"]);

/**
 * The open requests after an event. A position has at most one request, and none once its state is
 * left.
 */
function waitingAfter(view: RunView, event: RunEvent): RunView["waiting"] {
  const key = text(event, "key");
  const position = text(event, "position");
  if (event.type === "run.finished") return {};
  if (event.type === "state.left") return withoutPosition(view.waiting, position);
  if (event.type === "state.entered") return withoutPosition(view.waiting, text(event, "parent"));
  if (RESPONSE_EVENTS.has(event.type) && (key || event.type !== "run.resumed"))
    return withoutKey(view.waiting, key);
  if (event.type === "effect.allowed") return namedFor(view.waiting, event);
  if (event.type === "run.paused") return withFailure(view.waiting, text(event, "unanswered"));
  if (event.type === "run.resumed") return withoutFailures(view.waiting);
  if (!REQUEST_EVENTS.has(event.type)) return view.waiting;
  const effect = (event.effect ?? null) as Effect | null;
  if (!effect) return event.type === "run.waiting" ? namedFor(view.waiting, event) : view.waiting;
  const state = text(event, "state") || view.positions[position] || "";
  return {
    ...withoutPosition(view.waiting, position),
    [key]: { key, position, state, for: waitsFor(effect) },
  };
}

function withFailure(waiting: RunView["waiting"], key: string): RunView["waiting"] {
  const one = own(waiting, key);
  return one ? { ...waiting, [key]: { ...one, failed: true } } : waiting;
}

/** A resumed run makes all its open requests again. */
function withoutFailures(waiting: RunView["waiting"]): RunView["waiting"] {
  if (!Object.values(waiting).some((one) => one.failed)) return waiting;
  return Object.fromEntries(
    Object.entries(waiting).map(([key, { failed: _, ...one }]) => [key, one]),
  );
}

/** An event without an effect only names who answers the open request. */
function namedFor(waiting: RunView["waiting"], event: RunEvent): RunView["waiting"] {
  const key = text(event, "key");
  const one = own(waiting, key);
  return one
    ? { ...waiting, [key]: { ...one, for: text(event, "for") as Waiting["for"] } }
    : waiting;
}

function withoutPosition(waiting: RunView["waiting"], position: string): RunView["waiting"] {
  const remaining = Object.entries(waiting).filter(([, one]) => one.position !== position);
  return remaining.length === Object.keys(waiting).length ? waiting : Object.fromEntries(remaining);
}

interface Effect {
  effect: string;
  kind?: string;
}

function waitsFor({ effect, kind }: Effect): Waiting["for"] {
  switch (effect) {
    case "AskModel":
      return "model";
    case "CallTool":
      return "tool";
    case "RunCommand":
      return "command";
    case "Wait":
      return "time";
    default:
      return kind === "event" ? "event" : "person";
  }
}

function addedUsage(view: RunView, event: RunEvent): Partial<RunView> {
  const usage = (event.usage ?? {}) as Record<string, unknown>;
  const number = (field: string) => (typeof usage[field] === "number" ? usage[field] : 0);
  return {
    inputTokens: view.inputTokens + number("input_tokens"),
    outputTokens: view.outputTokens + number("output_tokens"),
    cost: view.cost + number("cost"),
  };
}

function nextArtifact(view: RunView, event: RunEvent): ArtifactValue {
  const before = own(view.artifacts, text(event, "name"));
  return {
    value: event.mode === "append" ? appendValue(before?.value, event.value) : event.value,
    state: text(event, "state"),
    n: event.n,
    writes: (before?.writes ?? 0) + 1,
  };
}

function closedWorkspace(view: RunView, event: RunEvent): Partial<RunView> {
  const savedCommit = text(event, "commit");
  if (!event.diff) return { savedCommit };
  const diff = { value: event.diff, state: "", n: event.n, writes: 1 };
  return { savedCommit, artifacts: { ...view.artifacts, [WORKSPACE_DIFF]: diff } };
}

function appendValue(before: unknown, value: unknown): unknown {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before)) return [...before, ...(Array.isArray(value) ? value : [value])];
  return value;
}

function finishedRun(view: RunView, event: RunEvent): Partial<RunView> {
  const status = (text(event, "status") || "completed") as RunStatus;
  const last = Object.values(view.positions).at(-1) ?? null;
  return {
    ...(text(event, "transition") ? takenTransition(view, event) : {}),
    status,
    reason: headline(event),
    failedState: status === "failed" ? last : null,
  };
}

function withoutKey<Value>(
  map: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> {
  if (!Object.hasOwn(map, key)) return map;
  const { [key]: _gone, ...rest } = map;
  return rest;
}

/** The map's own value: every object inherits names such as `constructor`. */
function own<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
