/**
 * The store of the shown run: its log, the shown event and the connection to the server. Only one
 * run is shown at a time. Events that arrive together are folded once per frame.
 */

import { useMemo } from "react";
import { createStore } from "zustand";
import { useStoreWithEqualityFn } from "zustand/traditional";
import { errorText } from "../../ui/errorText";
import {
  runs,
  session,
  shallow,
  type NewRun,
  type Run,
  type Signal,
  type StartedRun,
} from "../../session";
import type { RunEvent } from "./events";
import { fold, foldTo, INITIAL_VIEW, type RunView } from "./fold";
import { LiveRun, type LiveRunHost, type Socket } from "./liveRun";
import { overlayOf } from "./overlay";
import {
  recordedAnswer,
  appendDelta as pieced,
  textAfter,
  partialOutputText,
  type Delta,
  type PartialOutput,
} from "./partialOutput";
import { siteUrl } from "../../ui/siteUrl";

export interface RunStoreState {
  id: string | null;
  run: Run | null;
  /** The newest status, regardless of the shown event. */
  status: string;
  /** The number of events. The log itself is `runStore.log`, which only grows. */
  last: number;
  /** Recorded events that are still to be loaded. Until they are, the views show a part of the run. */
  missing: number;
  /** The number of the shown event; null to follow the newest. */
  at: number | null;
  /** The view at the shown event. */
  view: RunView;
  /** The view at the newest event. */
  head: RunView;
  playing: boolean;
  /** Time of the last message in milliseconds; null while live. */
  staleSince: number | null;
  problem: string;
  /** Request key → text that is being streamed or replayed. Never stored. */
  partialOutput: Readonly<Record<string, string>>;
  /** The state whose questions are shown in its own inspector; "" for none. */
  questionsShownAt: string;
}

const NO_RUN: RunStoreState = {
  id: null,
  run: null,
  status: "new",
  last: 0,
  missing: 0,
  at: null,
  view: INITIAL_VIEW,
  head: INITIAL_VIEW,
  playing: false,
  staleSince: null,
  problem: "",
  partialOutput: {},
  questionsShownAt: "",
};

const store = createStore<RunStoreState>(() => NO_RUN);
let live: LiveRun | null = null;
/** The log of a run that is not stored on the server: of a walk, or of another runtime. */
let recorded: readonly RunEvent[] | null = null;
let checkpoints: RunView[] = [INITIAL_VIEW];
let partialOutputs: Readonly<Record<string, PartialOutput>> = {};
/** The number of events that are still to be loaded, and the status after them. */
let ahead = { missing: 0, status: "" };
let frame = 0;

const CHECKPOINT_EVERY = 250;

export const runStore = {
  store,
  get log(): readonly RunEvent[] {
    return currentLog();
  },
  open,
  openWalk,
  openRecorded,
  close,
  start,
  signal,
  seek,
  play,
  /**
   * Show the run's overlay again after another overlay was shown; no overlay if there is no run.
   */
  repaint: (): void =>
    store.getState().id === null ? session.setOverlay(null) : paintOverlay(store.getState().view),
};

/** Subscribe to a part of the run store. */
export function useRunStore<S>(
  select: (state: RunStoreState) => S,
  same?: (before: S, after: S) => boolean,
): S {
  return useStoreWithEqualityFn(store, select, same);
}

/** The events so far, as a new list whenever events are added. */
export function useRunLog(): readonly RunEvent[] {
  const last = useRunStore((state) => state.last);
  return useMemo(() => runStore.log.slice(0, last), [last]);
}

/** The events up to the shown one. */
export function useVisibleEvents(): readonly RunEvent[] {
  const { last, at } = useRunStore((state) => ({ last: state.last, at: state.at }), shallow);
  return useMemo(() => runStore.log.slice(0, at ?? last), [last, at]);
}

/** Show a run from its first event and follow it. `started`: the answer to its start. */
async function open(id: string, started?: StartedRun): Promise<void> {
  close();
  checkpoints = [INITIAL_VIEW];
  partialOutputs = {};
  ahead = { missing: 0, status: "" };
  store.setState({ ...NO_RUN, id });
  const mine = new LiveRun(liveRunHost(id), {
    events: scheduleRefresh,
    missing: (count, status) => {
      ahead = { missing: count, status };
    },
    delta: acceptDelta,
    stale: (staleSince) => store.setState({ staleSince }),
    problem: (error) => store.setState({ problem: errorText(error) }),
  });
  live = mine;
  if (started) {
    store.setState({ run: started });
    mine.startWith(started);
    return refresh();
  }
  runs.get(id).then(
    (run) => live === mine && store.setState({ run }),
    (error: unknown) => session.notifyError(error),
  );
  await mine.start();
  if (live === mine) seekToUrlEvent();
}

/** The log that is shown; it only grows. */
function currentLog(): readonly RunEvent[] {
  return live?.buffer.log ?? recorded ?? NO_EVENTS;
}

const NO_EVENTS: readonly RunEvent[] = [];

/** True for the id of a run that the server stores, and not a walk of a rehearsal. */
export const isStored = (id: string | null): id is string =>
  id !== null && !id.startsWith(WALK_PREFIX);

const WALK_PREFIX = "walk-";

/**
 * Show a walk of a rehearsal as a run: it has a log, but nothing on the server. `at`: the event to
 * show.
 */
function openWalk(number: number, events: readonly RunEvent[], at: number | null): void {
  showLog(`${WALK_PREFIX}${number}`, events, at);
}

/** Show a run that another runtime has recorded. It is not stored either. */
function openRecorded(events: readonly unknown[]): void {
  showLog(`${WALK_PREFIX}recorded`, events as readonly RunEvent[], null);
}

function showLog(id: string, events: readonly RunEvent[], at: number | null): void {
  close();
  checkpoints = [INITIAL_VIEW];
  partialOutputs = {};
  store.setState({ ...NO_RUN, id });
  recorded = events;
  refresh();
  seek(at);
}

/** Show the event that the URL names, as links from a comparison do. */
function seekToUrlEvent(): void {
  const at = Number(new URL(location.href).searchParams.get("at"));
  if (!runFromPage() || !(at > 0)) return;
  refresh();
  seek(at);
}

function close(): void {
  live?.stop();
  live = null;
  recorded = null;
  cancelAnimationFrame(frame);
  frame = 0;
  stopPlaying();
  store.setState(NO_RUN);
  session.setDynamicGraph(null);
  session.setOverlay(null);
}

/** The longest time that the answer to a start waits for a run without a delay to end. */
const SETTLE_MS = 50;
const answersAtOnce = (body: NewRun): boolean =>
  !body.paused && !body.delay_ms && (body.driver === "rehearsal" || body.driver === "script");

/** Start a run of the pack and show it. Throws ApiError if it cannot start. */
async function start(body: NewRun): Promise<void> {
  const run = await runs.start(body, answersAtOnce(body) ? SETTLE_MS : 0);
  writeRunToUrl(run.id);
  void open(run.id, run);
}

async function signal(what: Signal): Promise<boolean> {
  const { id } = store.getState();
  if (!isStored(id)) return false;
  try {
    await runs.signal(id, what);
    void live?.catchUp();
    return true;
  } catch (error) {
    session.notifyError(error);
    return false;
  }
}

function scheduleRefresh(): void {
  if (document.hidden) return refresh();
  frame ||= requestAnimationFrame(refresh);
}

function refresh(): void {
  frame = 0;
  const log = currentLog();
  if (!live && !recorded) return;
  let head = store.getState().head;
  for (let index = head.n; index < log.length; index += 1) {
    head = fold(head, log[index]!);
    if (head.n % CHECKPOINT_EVERY === 0) checkpoints[head.n / CHECKPOINT_EVERY] = head;
  }
  const { at } = store.getState();
  const view = at === null ? head : store.getState().view;
  const { missing } = ahead;
  const status = missing > 0 ? ahead.status : head.status;
  store.setState({ head, view, last: log.length, missing, status, problem: "" });
  dropAnsweredOutput(head);
  // A part of the log has states that were active long ago.
  if (at === null && missing === 0) paintOverlay(view);
}

/** Show the run as it was after event `n`; null follows the newest event. */
function seek(n: number | null): void {
  if (n === null || n >= store.getState().last) {
    store.setState({ at: null, view: store.getState().head });
  } else {
    const target = Math.max(0, n);
    const from = checkpoints[Math.floor(target / CHECKPOINT_EVERY)] ?? INITIAL_VIEW;
    store.setState({ at: target, view: foldTo(runStore.log, target, from) });
  }
  paintOverlay(store.getState().view);
}

let timer: ReturnType<typeof setTimeout> | undefined;
const STEP_MS = 220;
const WORD_MS = 50;
/** Pause at the end of a replayed answer. */
const ANSWER_PAUSE_MS = 800;

/** Play the log from the shown event, one transition, entered state or answer at a time. */
function play(on: boolean): void {
  stopPlaying();
  if (!on) return;
  if (store.getState().at === null) seek(0);
  store.setState({ playing: true });
  timer = setTimeout(playNext, STEP_MS);
}

function playNext(): void {
  const { at } = store.getState();
  if (at === null) return stopPlaying();
  seek(nextVisibleEvent(at));
  store.setState({ partialOutput: {} });
  const now = store.getState().at;
  if (now === null) return stopPlaying();
  const answer = recordedAnswer(runStore.log, now);
  const startedAt = Date.now();
  const speak = (): void => {
    const since = Date.now() - startedAt;
    if (answer) store.setState({ partialOutput: { [answer.key]: textAfter(answer, since) } });
    const over = !answer || since >= answer.milliseconds || store.getState().at !== now;
    timer = setTimeout(
      over ? playNext : speak,
      !over ? WORD_MS : answer ? ANSWER_PAUSE_MS : STEP_MS,
    );
  };
  speak();
}

function stopPlaying(): void {
  clearTimeout(timer);
  if (store.getState().playing)
    store.setState({ playing: false, partialOutput: partialOutputTexts() });
}

/** The next event that changes the picture. */
function nextVisibleEvent(at: number): number {
  const { log } = runStore;
  for (let index = at; index < log.length; index += 1) {
    const event = log[index]!;
    if (/^(state\.entered|transition\.taken|approval\.|run\.|model\.asked)/.test(event.type))
      return event.n;
  }
  return log.length;
}

function paintOverlay(view: RunView): void {
  session.setDynamicGraph(view.dynamicGraph);
  const { states, transitions } = session.state.fullGraph;
  session.setOverlay(overlayOf(view, (id) => states.get(id)?.level ?? "", transitions));
}

function acceptDelta(delta: Delta): void {
  partialOutputs = { ...partialOutputs, [delta.key]: pieced(partialOutputs[delta.key], delta) };
  if (!store.getState().playing) store.setState({ partialOutput: partialOutputTexts() });
}

function dropAnsweredOutput(head: RunView): void {
  const open = Object.entries(partialOutputs).filter(([key]) => key in head.waiting);
  if (open.length === Object.keys(partialOutputs).length) return;
  partialOutputs = Object.fromEntries(open);
  if (!store.getState().playing) store.setState({ partialOutput: partialOutputTexts() });
}

/** The partial outputs as text. */
function partialOutputTexts(): RunStoreState["partialOutput"] {
  return Object.fromEntries(
    Object.entries(partialOutputs).map(([key, speech]) => [key, partialOutputText(speech)]),
  );
}

/** Put the run into the URL, so that a reload shows it again. */
function writeRunToUrl(id: string | null): void {
  const here = new URL(location.href);
  if (id === null) here.searchParams.delete("run");
  else here.searchParams.set("run", id);
  history.replaceState(history.state, "", here);
}

/** Hide the run that is shown on an editor page. */
export function hideRun(): void {
  writeRunToUrl(null);
  close();
}

/** The run that the page or the URL names. */
export function runFromPageOrUrl(): string | null {
  return runFromPage() || new URL(location.href).searchParams.get("run");
}

function runFromPage(): string | undefined {
  return document.getElementById("signalbox")?.dataset.run;
}

function liveRunHost(id: string): LiveRunHost {
  return {
    fetchEvents: (after, limit) => runs.events(id, after, limit),
    open: (after) => {
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      return new WebSocket(
        `${scheme}://${location.host}${siteUrl(`/ws/runs/${id}/?after=${after}`)}`,
      ) as unknown as Socket;
    },
    now: () => Date.now(),
    later: (action, milliseconds) => {
      const wait = setTimeout(action, milliseconds);
      return () => clearTimeout(wait);
    },
  };
}
