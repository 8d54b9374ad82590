/** The page's session: loads a pack or run, sends edits, and applies other users' changes. */

import { packs, runs, type Edit, type Form, type Graph } from "../api";
import { errorText } from "../ui/errorText";
import { useStore, type Same } from "../ui/store";
import { PackSocket } from "./packSocket";
import { canOpenLevel, TOP_LEVEL, levelFromUrl, levelOf, graphAtLevel } from "./canvasLevels";
import { dismiss, notify, notifyError } from "./notices";
import { storeBreakpoints, loadBreakpoints } from "./breakpoints";
import { INITIAL, type Outcome, type Overlay, type SessionState } from "./state";
import {
  applyServerChange,
  resetFor,
  setDynamicGraph,
  revisionAnnounced,
  levelRenamed,
  fetchOffers,
  currentQueue,
  openPackId,
  resendUnsentEdits,
  publishGraph,
  store,
  replaceGraph,
} from "./confirmedGraph";

let socket: PackSocket | null = null;

/**
 * Open a pack for editing. Errors set `phase: "failed"` and a message; the promise never rejects.
 */
async function load(id: string, options: { user?: string } = {}): Promise<void> {
  socket?.close();
  const level = levelFromUrl();
  store.set({
    ...INITIAL,
    phase: "loading",
    pack: id,
    level,
    user: options.user ?? "",
    breakpoints: loadBreakpoints(id),
  });
  try {
    const [graph, card] = await Promise.all([packs.graph(id), packs.detail(id)]);
    resetFor(id);
    store.set({ packDetail: card });
    replaceGraph(graph);
    store.set({ phase: "ready" });
  } catch (error) {
    store.set({ phase: "failed", problem: errorText(error) });
    return;
  }
  resendUnsentEdits(id);
  socket = new PackSocket(id, {
    revision: (number) => void revisionAnnounced(number),
    people: (people) => store.set({ people }),
    connected: (live) => store.set({ connected: live }),
  });
}

/** Open the graph of a run's revision, read-only. */
async function loadRun(run: string, options: { user?: string } = {}): Promise<void> {
  socket?.close();
  resetFor(null);
  const level = levelFromUrl();
  store.set({ ...INITIAL, phase: "loading", readOnly: true, run, level, user: options.user ?? "" });
  try {
    // States and transitions that the run added are merged in from its events.
    const graph = await runs.graph(run, { at: 0 });
    const id = String(graph.pack);
    store.set({ pack: id, packDetail: await packs.detail(id) });
    replaceGraph(graph);
    store.set({ phase: "ready" });
  } catch (error) {
    store.set({ phase: "failed", problem: errorText(error) });
  }
}

/** Apply edits as one undo step. They show at once; the promise resolves with the result. */
function edit(edits: Edit[]): Promise<Outcome> {
  const { readOnly } = store.get();
  const queue = currentQueue();
  if (readOnly || !queue || !edits.length)
    return Promise.resolve({ ok: false, error: new Error("This pack is shown to look at only.") });
  for (const one of edits)
    if (one.type === "rename_object")
      levelRenamed(one.element, `${one.element.slice(0, one.element.indexOf(":"))}:${one.new_key}`);
  return queue.push(edits);
}

/** Show another level. The selection is cleared and the inspector shows the level's element. */
function openLevel(level: string): void {
  const { fullGraph } = store.get();
  if (store.get().level === level || !canOpenLevel(store.get(), level)) return;
  store.set({
    level,
    graph: graphAtLevel(fullGraph, level),
    selection: new Set(),
    element: level || "pack",
  });
  socket?.sendElement(level || "pack");
}

/** Go up one level and select the state that opens this one. */
function leaveLevel(): void {
  const { level, fullGraph } = store.get();
  const opening = [...fullGraph.states.values()].find((state) => state.inside === level);
  openLevel(opening?.level ?? TOP_LEVEL);
  if (opening) select([`state:${opening.id}`]);
}

async function undoOrRedo(direction: "undo" | "redo"): Promise<Outcome> {
  await currentQueue()?.idle();
  try {
    const change = await packs[direction](openPackId(), store.get().revision);
    if (change.graph === null) replaceGraph(await packs.graph(openPackId()));
    applyServerChange(change);
    publishGraph();
    return { ok: true, change };
  } catch (error) {
    notifyError(store, error);
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

let undoChain: Promise<unknown> = Promise.resolve();
/** Run undo and redo one after the other, however fast the keys are pressed. */
function enqueueUndoOrRedo(direction: "undo" | "redo"): Promise<Outcome> {
  const next = undoChain.then(() => undoOrRedo(direction));
  undoChain = next;
  return next;
}

function select(elements: Iterable<string>, inspected?: string): void {
  const selection = new Set(elements);
  const element = inspected ?? [...selection].at(-1) ?? "pack";
  const same =
    selection.size === store.get().selection.size &&
    [...selection].every((name) => store.get().selection.has(name));
  store.set(same ? { element } : { selection, element });
  socket?.sendElement(element);
}

async function setProfile(profile: string): Promise<void> {
  await currentQueue()?.idle();
  try {
    const card = await packs.change(openPackId(), { profile });
    store.set({ packDetail: card });
    replaceGraph(await packs.graph(openPackId()));
  } catch (error) {
    notifyError(store, error);
  }
}

async function setName(name: string): Promise<void> {
  try {
    store.set({ packDetail: await packs.change(openPackId(), { name }) });
  } catch (error) {
    notifyError(store, error);
  }
}

/** Restore an older revision as a new one. */
async function restore(number: number): Promise<void> {
  await currentQueue()?.idle();
  try {
    await packs.restore(openPackId(), number);
    replaceGraph(await packs.graph(openPackId()));
  } catch (error) {
    notifyError(store, error);
  }
}

async function resolveConflict(how: "reapply" | "discard"): Promise<void> {
  store.set({ conflict: null });
  try {
    await (how === "reapply" ? currentQueue()?.reapply() : currentQueue()?.discard());
  } catch (error) {
    const conflict = currentQueue()?.conflict;
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
  undo: () => enqueueUndoOrRedo("undo"),
  redo: () => enqueueUndoOrRedo("redo"),
  fetchOffers,
  /** The inspector's form of an element at the newest revision. */
  fetchForm: (element: string): Promise<Form> => packs.fields(openPackId(), element),
  select,
  inspect: (element: string): void => {
    store.set({ element });
    socket?.sendElement(element);
  },
  openLevel,
  leaveLevel,
  /** Select an element and scroll to it, after opening its level. */
  focus: (element: string): void => {
    openLevel(levelOf(store.get().fullGraph, element) ?? store.get().level);
    select(element === "pack" ? [] : [element], element);
    store.set({ focus: { element, n: (store.get().focus?.n ?? 0) + 1 } });
  },
  setProfile,
  setName,
  restore,
  resolveConflict,
  /** Show a run on top of the open graph, or none. */
  showRun: (run: string | null): void => store.set({ run, ...(run ? {} : { overlay: null }) }),
  /** Set the open pack's breakpoints. */
  setBreakpoints: (ids: Iterable<string>): void => {
    const breakpoints = new Set(ids);
    store.set({ breakpoints });
    storeBreakpoints(openPackId(), breakpoints);
  },
  setOverlay: (overlay: Overlay | null): void => store.set({ overlay }),
  setDynamicGraph,
  notify: (text: string, level?: Parameters<typeof notify>[2], hint?: string): void =>
    notify(store, text, level, hint),
  notifyError: (error: unknown): void => notifyError(store, error),
  dismiss: (id: number): void => dismiss(store, id),
  /** Resolves when no edit is unsent. */
  whenSaved: (): Promise<void> => currentQueue()?.idle() ?? Promise.resolve(),
  /** For tests and benchmarks: show a graph without a server. */
  showGraph: (graph: Graph, readOnly = true): void => {
    store.set({ ...INITIAL, pack: String(graph.pack), readOnly });
    replaceGraph(graph);
    store.set({ phase: "ready" });
  },
};

/** Subscribe to a part of the session. Pass `shallow` if the selection builds a new object. */
export function useSession<S>(select: (state: SessionState) => S, same?: Same<S>): S {
  return useStore(store, select, same);
}
