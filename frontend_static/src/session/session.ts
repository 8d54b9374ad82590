/** The one session of the page: loads a pack, sends edits, follows what others do. */

import { packs, runs, type Edit, type Form, type Graph } from "../api";
import { sentenceOf } from "../ui/errorText";
import { useStore, type Same } from "../ui/store";
import { PackSocket } from "./packSocket";
import { canOpen, FIRST, levelInAddress, levelOf, onLevel } from "./canvasLevels";
import { dismiss, notify, notifyError } from "./notices";
import { keepStops, keptStops } from "./breakpoints";
import { INITIAL, type Outcome, type Overlay, type SessionState } from "./state";
import { accept, begin, grow, heard, levelRenamed, offers, outbox, pack, resend, show, store, take } from "./confirmedGraph";

let socket: PackSocket | null = null;

/** Open a pack for editing. Problems become `phase: "failed"` with a sentence, never a rejection. */
async function load(id: string, options: { user?: string } = {}): Promise<void> {
  socket?.close();
  const level = levelInAddress();
  store.set({ ...INITIAL, phase: "loading", pack: id, level, user: options.user ?? "", stops: keptStops(id) });
  try {
    const [graph, card] = await Promise.all([packs.graph(id), packs.card(id)]);
    begin(id);
    store.set({ card });
    take(graph);
    store.set({ phase: "ready" });
  } catch (error) {
    store.set({ phase: "failed", problem: sentenceOf(error) });
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
  begin(null);
  const level = levelInAddress();
  store.set({ ...INITIAL, phase: "loading", readOnly: true, run, level, user: options.user ?? "" });
  try {
    // What the run added is laid over it from its events, as far as they are looked at.
    const graph = await runs.graph(run, { at: 0 });
    const id = String(graph.pack);
    store.set({ pack: id, card: await packs.card(id) });
    take(graph);
    store.set({ phase: "ready" });
  } catch (error) {
    store.set({ phase: "failed", problem: sentenceOf(error) });
  }
}

/** Carry out edits as one step of undo. Painted at once; the promise tells how it ended. */
function edit(edits: Edit[]): Promise<Outcome> {
  const { readOnly } = store.get();
  const queue = outbox();
  if (readOnly || !queue || !edits.length)
    return Promise.resolve({ ok: false, error: new Error("This pack is shown to look at only.") });
  for (const one of edits)
    if (one.type === "rename_object")
      levelRenamed(one.element, `${one.element.slice(0, one.element.indexOf(":"))}:${one.new_key}`);
  return queue.push(edits);
}

/** Show another level. Nothing is selected there yet; the inspector shows what is drawn. */
function openLevel(level: string): void {
  const { whole } = store.get();
  if (store.get().level === level || !canOpen(store.get(), level)) return;
  store.set({ level, graph: onLevel(whole, level), selection: new Set(), element: level || "pack" });
  socket?.at(level || "pack");
}

/** One level up: the box that opens this one is selected there. */
function leaveLevel(): void {
  const { level, whole } = store.get();
  const opening = [...whole.states.values()].find((state) => state.inside === level);
  openLevel(opening?.level ?? FIRST);
  if (opening) select([`state:${opening.id}`]);
}

async function step(direction: "undo" | "redo"): Promise<Outcome> {
  await outbox()?.idle();
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
  await outbox()?.idle();
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
  await outbox()?.idle();
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
    await (how === "reapply" ? outbox()?.reapply() : outbox()?.discard());
  } catch (error) {
    const conflict = outbox()?.conflict;
    if (conflict) store.set({ conflict });
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
  openLevel,
  leaveLevel,
  /** Select an element and glide to it, on whatever level it stands. */
  focus: (element: string): void => {
    openLevel(levelOf(store.get().whole, element) ?? store.get().level);
    select(element === "pack" ? [] : [element], element);
    store.set({ focus: { element, n: (store.get().focus?.n ?? 0) + 1 } });
  },
  setProfile,
  setName,
  restore,
  resolve,
  /** Show a run over the graph that is open, or none. */
  showRun: (run: string | null): void => store.set({ run, ...(run ? {} : { overlay: null }) }),
  /** These are the breakpoints of the open pack from now on. */
  stopAt: (ids: Iterable<string>): void => {
    const stops = new Set(ids);
    store.set({ stops });
    keepStops(pack(), stops);
  },
  setOverlay: (overlay: Overlay | null): void => store.set({ overlay }),
  /** Draw what a shown run added to the graph, or nothing. */
  grow,
  notify: (text: string, level?: Parameters<typeof notify>[2], hint?: string): void =>
    notify(store, text, level, hint),
  notifyError: (error: unknown): void => notifyError(store, error),
  dismiss: (id: number): void => dismiss(store, id),
  /** Resolves when nothing is unsent. */
  saved: (): Promise<void> => outbox()?.idle() ?? Promise.resolve(),
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
