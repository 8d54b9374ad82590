/** The one session of the page: loads a pack, sends edits, follows what others do. */

import { packs, runs, type Conflict, type Edit, type Form, type Offer } from "../api";
import { createStore, useStore, type Same } from "../lib/store";
import { keep, kept } from "./kept";
import { PackSocket } from "./live";
import { dismiss, notify, notifyError } from "./notices";
import { alreadyDone, applyChange, paint } from "./paint";
import { EditQueue } from "./queue";
import { byElement, EMPTY_GRAPH, INITIAL, mapsOf } from "./state";
import type { GraphMaps, Outcome, Overlay, SessionState } from "./state";
import type { Change, Graph } from "../api";

const store = createStore<SessionState>(INITIAL);

/** The graph as the server last confirmed it; what is shown adds the unsent edits. */
let confirmed: GraphMaps = EMPTY_GRAPH;
let socket: PackSocket | null = null;
let seen = 0;
let drawn: EditQueue | null = null;
const offersKnown = new Map<string, Promise<Offer[]>>();

const pack = (): string => {
  const id = store.get().pack;
  if (id === null) throw new Error("No pack is open.");
  return id;
};

function show(): void {
  const pending = drawn?.pending() ?? [];
  const save = drawn?.conflict
    ? "conflict"
    : drawn?.offline
      ? "offline"
      : pending.length
        ? "saving"
        : "saved";
  store.set({ graph: paint(confirmed, pending), unsent: pending.length, save });
}

function accept(change: Change): void {
  confirmed = applyChange(confirmed, change);
  offersKnown.clear();
  store.set({
    revision: change.revision,
    findings: change.findings,
    findingsOf: byElement(change.findings),
    outline: change.outline ?? store.get().outline,
    undo: change.undo,
    redo: change.redo,
    savedAt: change.saved_at,
  });
  prune();
}

/** Forget selected elements that are gone, so that nothing acts on a ghost. */
function prune(): void {
  const { selection, element } = store.get();
  const there = (name: string) => {
    if (name.startsWith("state:")) return confirmed.states.has(name.slice(6));
    if (name.startsWith("transition:")) return confirmed.transitions.has(name.slice(11));
    return true;
  };
  const pending = drawn?.empty === false;
  if (pending || ([...selection].every(there) && there(element))) return;
  const left = new Set([...selection].filter(there));
  store.set({ selection: left, element: there(element) ? element : "pack" });
}

function take(graph: Graph): void {
  confirmed = mapsOf(graph);
  offersKnown.clear();
  store.set({
    revision: graph.revision,
    profile: graph.profile,
    findings: graph.findings,
    findingsOf: byElement(graph.findings),
    outline: graph.outline,
    palette: graph.palette,
    undo: graph.undo,
    redo: graph.redo,
    savedAt: graph.saved_at,
  });
  show();
}

async function catchUp(): Promise<void> {
  const { revision } = store.get();
  const change = await packs.changes(pack(), revision);
  if (change.graph === null && (change.reload || change.revision !== revision)) {
    take(await packs.graph(pack()));
  } else accept(change);
  show();
}

/** Another tab or person saved: fetch what lies between, unless our own request is about to tell. */
async function heard(number: number): Promise<void> {
  seen = Math.max(seen, number);
  await drawn?.idle();
  if (seen <= store.get().revision) return;
  try {
    await catchUp();
  } catch (error) {
    notifyError(store, error);
  }
}

function makeQueue(id: string): EditQueue {
  return new EditQueue({
    base: () => store.get().revision,
    send: (base, edits) => packs.edit(id, base, edits),
    catchUp,
    alreadyDone: (edit) => alreadyDone(confirmed, edit),
    confirmed: accept,
    refused: (error) => notifyError(store, error),
    conflicted: (conflict: Conflict) => store.set({ conflict, save: "conflict" }),
    changed: show,
    keep: (groups) => keep(id, groups),
    wait: (milliseconds) =>
      new Promise((done) => {
        const go = () => {
          clearTimeout(timer);
          removeEventListener("online", go);
          done();
        };
        const timer = setTimeout(go, milliseconds);
        addEventListener("online", go);
      }),
  });
}

function resend(id: string): void {
  const left = kept(id).filter((group) => group.some((edit) => !alreadyDone(confirmed, edit)));
  keep(id, []);
  if (!left.length) return;
  notify(store, `${left.length} changes that had not been saved were sent again.`);
  for (const group of left) void drawn?.push(group);
}

/** Open a pack for editing. Problems become `phase: "failed"` with a sentence, never a rejection. */
async function load(id: string, options: { user?: string } = {}): Promise<void> {
  socket?.close();
  store.set({ ...INITIAL, phase: "loading", pack: id, user: options.user ?? "" });
  try {
    const [graph, card] = await Promise.all([packs.graph(id), packs.card(id)]);
    drawn = makeQueue(id);
    store.set({ card });
    take(graph);
    store.set({ phase: "ready" });
  } catch (error) {
    store.set({ phase: "failed", problem: error instanceof Error ? error.message : String(error) });
    return;
  }
  resend(id);
  socket = new PackSocket(id, {
    revision: (number) => void heard(number),
    people: (people) => store.set({ people }),
    connected: (live) => store.set({ live }),
  });
}

/** Open the graph of a run's revision, to look at only. */
async function loadRun(run: string, options: { user?: string } = {}): Promise<void> {
  socket?.close();
  drawn = null;
  store.set({ ...INITIAL, phase: "loading", readOnly: true, run, user: options.user ?? "" });
  try {
    const graph = await runs.graph(run);
    store.set({ pack: String(graph.pack) });
    take(graph);
    store.set({ phase: "ready" });
  } catch (error) {
    store.set({ phase: "failed", problem: error instanceof Error ? error.message : String(error) });
  }
}

/** Carry out edits as one step of undo. Painted at once; the promise tells how it ended. */
function edit(edits: Edit[]): Promise<Outcome> {
  const { readOnly } = store.get();
  if (readOnly || !drawn || !edits.length)
    return Promise.resolve({ ok: false, error: new Error("This pack is shown to look at only.") });
  return drawn.push(edits);
}

async function step(direction: "undo" | "redo"): Promise<Outcome> {
  await drawn?.idle();
  try {
    const change = await packs[direction](pack(), store.get().revision);
    if (change.graph === null) take(await packs.graph(pack()));
    accept(change);
    show();
    return { ok: true, change };
  } catch (error) {
    notifyError(store, error);
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

let steps: Promise<unknown> = Promise.resolve();
/** Presses in quick succession are taken one after the other. */
function inTurn(direction: "undo" | "redo"): Promise<Outcome> {
  const next = steps.then(() => step(direction));
  steps = next;
  return next;
}

/** What may be drawn out of a state; asked once per revision. */
function offers(state: string): Promise<Offer[]> {
  const known = offersKnown.get(state);
  if (known) return known;
  const asked = packs.offers(pack(), state);
  offersKnown.set(state, asked);
  asked.catch(() => offersKnown.delete(state));
  return asked;
}

function select(elements: Iterable<string>, inspected?: string): void {
  const selection = new Set(elements);
  const element = inspected ?? [...selection].at(-1) ?? "pack";
  const same =
    selection.size === store.get().selection.size &&
    [...selection].every((name) => store.get().selection.has(name));
  store.set(same ? { element } : { selection, element });
  socket?.at(element);
}

async function setProfile(profile: string): Promise<void> {
  await drawn?.idle();
  try {
    const card = await packs.change(pack(), { profile });
    store.set({ card });
    take(await packs.graph(pack()));
  } catch (error) {
    notifyError(store, error);
  }
}

async function setName(name: string): Promise<void> {
  try {
    store.set({ card: await packs.change(pack(), { name }) });
  } catch (error) {
    notifyError(store, error);
  }
}

/** Go back to an older revision: a new one with its files. */
async function restore(number: number): Promise<void> {
  await drawn?.idle();
  try {
    await packs.restore(pack(), number);
    take(await packs.graph(pack()));
  } catch (error) {
    notifyError(store, error);
  }
}

async function resolve(how: "reapply" | "discard"): Promise<void> {
  store.set({ conflict: null });
  try {
    await (how === "reapply" ? drawn?.reapply() : drawn?.discard());
  } catch (error) {
    if (drawn?.conflict) store.set({ conflict: drawn.conflict });
    notifyError(store, error);
  }
}

export const session = {
  store,
  get state(): SessionState {
    return store.get();
  },
  load,
  loadRun,
  edit,
  undo: () => inTurn("undo"),
  redo: () => inTurn("redo"),
  offers,
  /** The inspector's form of an element, as of now. */
  fields: (element: string): Promise<Form> => packs.fields(pack(), element),
  select,
  inspect: (element: string): void => {
    store.set({ element });
    socket?.at(element);
  },
  /** Select an element and glide to it. */
  focus: (element: string): void => {
    select(element === "pack" ? [] : [element], element);
    store.set({ focus: { element, n: (store.get().focus?.n ?? 0) + 1 } });
  },
  setProfile,
  setName,
  restore,
  resolve,
  /** Show a run over the graph that is open, or none. */
  showRun: (run: string | null): void => store.set({ run, ...(run ? {} : { overlay: null }) }),
  setOverlay: (overlay: Overlay | null): void => store.set({ overlay }),
  notify: (text: string, level?: Parameters<typeof notify>[2], hint?: string): void =>
    notify(store, text, level, hint),
  notifyError: (error: unknown): void => notifyError(store, error),
  dismiss: (id: number): void => dismiss(store, id),
  /** Resolves when nothing is unsent. */
  saved: (): Promise<void> => drawn?.idle() ?? Promise.resolve(),
  /** Only for harnesses: show this graph without a server. */
  showGraph: (graph: Graph, readOnly = true): void => {
    store.set({ ...INITIAL, pack: String(graph.pack), readOnly });
    take(graph);
    store.set({ phase: "ready" });
  },
};

/** Watch a part of the session. Pass `shallow` when the selection builds a new object. */
export function useSession<S>(select: (state: SessionState) => S, same?: Same<S>): S {
  return useStore(store, select, same);
}
