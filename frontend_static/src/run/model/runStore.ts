/**
 * The run that the page shows: its log, where in it the person looks, and the line to the server.
 * One at a time. Events that come in a burst are folded once per frame.
 */

import { sentenceOf } from "../../ui/errorText";
import { createStore, useStore, type Same } from "../../ui/store";
import { runs, session, type NewRun, type Run, type Signal } from "../../session";
import type { RunEvent } from "./events";
import { fold, foldTo, START, type RunView } from "./fold";
import { LiveRun, type EventPage, type Outside, type Socket } from "./liveRun";
import { overlayOf } from "./overlay";
import { answerTo, heard as pieced, saidAfter, shownSpeech, type Piece, type Speech } from "./partialOutput";

export interface Shown {
  id: string | null;
  run: Run | null;
  /** The status now, wherever the person looks. */
  status: string;
  /** How many events there are. The log itself is `shownRun.log`: it only grows. */
  last: number;
  /** The event looked at; null follows the newest. */
  at: number | null;
  /** The fold up to there. */
  view: RunView;
  /** The fold of everything. */
  head: RunView;
  playing: boolean;
  /** Milliseconds; null while live. */
  staleSince: number | null;
  problem: string;
  /** Text that is being streamed, or spoken again while the run is played, by the key of the asking. Never stored. */
  deltas: Readonly<Record<string, string>>;
  /** The state whose questions are shown at its own place; "" for none. */
  answeredAt: string;
}

const NOTHING: Shown = {
  id: null,
  run: null,
  status: "new",
  last: 0,
  at: null,
  view: START,
  head: START,
  playing: false,
  staleSince: null,
  problem: "",
  deltas: {},
  answeredAt: "",
};

const store = createStore<Shown>(NOTHING);
let live: LiveRun | null = null;
let checkpoints: RunView[] = [START];
let speeches: Readonly<Record<string, Speech>> = {};
let frame = 0;

const STRIDE = 250;

export const shownRun = {
  store,
  get log(): readonly RunEvent[] {
    return live?.inbox.log ?? [];
  },
  open,
  close,
  start,
  signal,
  seek,
  play,
  /** Paint the run again, or nothing where none is shown: after something else was painted. */
  repaint: (): void => (store.get().id === null ? session.setOverlay(null) : paint(store.get().view)),
};

export function useShownRun<S>(select: (shown: Shown) => S, same?: Same<S>): S {
  return useStore(store, select, same);
}

/** Show a run from its first event and follow it. */
async function open(id: string): Promise<void> {
  close();
  checkpoints = [START];
  speeches = {};
  store.set({ ...NOTHING, id });
  const mine = new LiveRun(server(id), {
    events: schedule,
    delta: heard,
    stale: (staleSince) => store.set({ staleSince }),
    problem: (error) => store.set({ problem: sentenceOf(error) }),
  });
  live = mine;
  try {
    store.set({ run: await runs.get(id) });
  } catch (error) {
    session.notifyError(error);
  }
  if (live !== mine) return;
  await mine.start();
  if (live === mine) lookAtNamed();
}

/** The address may name the event to look at: a link out of a comparison. */
function lookAtNamed(): void {
  const at = Number(new URL(location.href).searchParams.get("at"));
  if (!namedByPage() || !(at > 0)) return;
  refresh();
  seek(at);
}

function close(): void {
  live?.stop();
  live = null;
  cancelAnimationFrame(frame);
  frame = 0;
  stopPlaying();
  store.set(NOTHING);
  session.grow(null);
  session.setOverlay(null);
}

/** Start a run of the pack and show it in place. Raises ApiError for one that cannot start. */
async function start(body: NewRun): Promise<void> {
  const run = await runs.start(body);
  remember(run.id);
  void open(run.id);
}

async function signal(what: Signal): Promise<boolean> {
  const { id } = store.get();
  if (id === null) return false;
  try {
    await runs.signal(id, what);
    void live?.catchUp();
    return true;
  } catch (error) {
    session.notifyError(error);
    return false;
  }
}

function schedule(): void {
  if (document.hidden) return refresh();
  frame ||= requestAnimationFrame(refresh);
}

function refresh(): void {
  frame = 0;
  if (!live) return;
  const { log } = live.inbox;
  let head = store.get().head;
  for (let index = head.n; index < log.length; index += 1) {
    head = fold(head, log[index]!);
    if (head.n % STRIDE === 0) checkpoints[head.n / STRIDE] = head;
  }
  const { at } = store.get();
  const view = at === null ? head : store.get().view;
  store.set({ head, view, last: log.length, status: head.status, problem: "" });
  forgetAnswered(head);
  if (at === null) paint(view);
}

/** Look at the run as it was after event `n`; null follows it again. */
function seek(n: number | null): void {
  if (n === null || n >= store.get().last) {
    store.set({ at: null, view: store.get().head });
  } else {
    const wanted = Math.max(0, n);
    const from = checkpoints[Math.floor(wanted / STRIDE)] ?? START;
    store.set({ at: wanted, view: foldTo(shownRun.log, wanted, from) });
  }
  paint(store.get().view);
}

let timer: ReturnType<typeof setTimeout> | undefined;
const STEP_MS = 220;
const WORD_MS = 50;
/** How long the whole of an answer stays. */
const READ_MS = 800;

/** Walk forward from where the person looks, an arrow, an entered state or an answer at a time. */
function play(on: boolean): void {
  stopPlaying();
  if (!on) return;
  if (store.get().at === null) seek(0);
  store.set({ playing: true });
  timer = setTimeout(playOn, STEP_MS);
}

function playOn(): void {
  const { at } = store.get();
  if (at === null) return stopPlaying();
  seek(nextVisible(at));
  store.set({ deltas: {} });
  const now = store.get().at;
  if (now === null) return stopPlaying();
  const answer = answerTo(shownRun.log, now);
  const begun = Date.now();
  const speak = (): void => {
    const since = Date.now() - begun;
    if (answer) store.set({ deltas: { [answer.key]: saidAfter(answer, since) } });
    const over = !answer || since >= answer.milliseconds || store.get().at !== now;
    timer = setTimeout(over ? playOn : speak, !over ? WORD_MS : answer ? READ_MS : STEP_MS);
  };
  speak();
}

function stopPlaying(): void {
  clearTimeout(timer);
  if (store.get().playing) store.set({ playing: false, deltas: spoken() });
}

/** The next event that changes the picture. */
function nextVisible(at: number): number {
  const { log } = shownRun;
  for (let index = at; index < log.length; index += 1) {
    const event = log[index]!;
    if (/^(state\.entered|transition\.taken|approval\.|run\.|model\.asked)/.test(event.type)) return event.n;
  }
  return log.length;
}

function paint(view: RunView): void {
  session.grow(view.grown);
  const { states, transitions } = session.state.whole;
  session.setOverlay(overlayOf(view, (id) => states.get(id)?.level ?? "", transitions));
}

function heard(piece: Piece): void {
  speeches = { ...speeches, [piece.key]: pieced(speeches[piece.key], piece) };
  if (!store.get().playing) store.set({ deltas: spoken() });
}

function forgetAnswered(head: RunView): void {
  const open = Object.entries(speeches).filter(([key]) => key in head.waiting);
  if (open.length === Object.keys(speeches).length) return;
  speeches = Object.fromEntries(open);
  if (!store.get().playing) store.set({ deltas: spoken() });
}

/** What is being streamed, as it is shown. */
function spoken(): Shown["deltas"] {
  return Object.fromEntries(Object.entries(speeches).map(([key, speech]) => [key, shownSpeech(speech)]));
}

/** The address names the run, so that a reload shows it again. */
function remember(id: string | null): void {
  const here = new URL(location.href);
  if (id === null) here.searchParams.delete("run");
  else here.searchParams.set("run", id);
  history.replaceState(history.state, "", here);
}

/** Hide a run shown on an editor page. */
export function hideRun(): void {
  remember(null);
  close();
}

/** The run that the page or its address names. */
export function namedRun(): string | null {
  return namedByPage() || new URL(location.href).searchParams.get("run");
}

function namedByPage(): string | undefined {
  return document.getElementById("signalbox")?.dataset.run;
}

function server(id: string): Outside {
  return {
    fetchEvents: (after, limit) => runs.events(id, after, limit) as unknown as Promise<EventPage>,
    open: (after) => {
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      return new WebSocket(`${scheme}://${location.host}/ws/runs/${id}/?after=${after}`) as unknown as Socket;
    },
    now: () => Date.now(),
    later: (action, milliseconds) => {
      const wait = setTimeout(action, milliseconds);
      return () => clearTimeout(wait);
    },
  };
}
