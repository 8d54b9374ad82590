/** The page's session: loads a pack or run, sends edits, and applies other users' changes. */

import { useStoreWithEqualityFn } from "zustand/traditional";
import { packs, runs, type Edit, type PackDetail } from "../api";
import { errorText } from "../ui/errorText";
import { keptKeys, keptTyped, openText, storeTexts } from "../ui/typedTexts";
import { PackSocket } from "./packSocket";
import { canOpenLevel, TOP_LEVEL, levelFromUrl, levelOf, graphAtLevel } from "./canvasLevels";
import { dismiss, notify, notifyError } from "./notices";
import { compareProposal, compareRevisions, endComparison } from "./comparison";
import { storeBreakpoints, loadBreakpoints } from "./breakpoints";
import {
  INITIAL,
  type BrokenText,
  type Heat,
  type Outcome,
  type Overlay,
  type SessionState,
  type GraphMaps,
} from "./state";
import {
  takeBack,
  resetFor,
  setDynamicGraph,
  revisionAnnounced,
  levelRenamed,
  fetchForm,
  isReading,
  reading,
  fetchOffers,
  keepDrawing,
  refreshFindings,
  currentQueue,
  openPackId,
  resendUnsentEdits,
  store,
  replaceGraph,
} from "./confirmedGraph";

let socket: PackSocket | null = null;

/**
 * Open a pack for editing. Errors set `phase: "failed"` and a message; the promise never rejects.
 */
async function load(
  id: string,
  options: { user?: string; page?: "pack" | "demo" } = {},
): Promise<void> {
  socket?.close();
  const level = levelFromUrl();
  store.setState({
    ...INITIAL,
    phase: "loading",
    page: options.page ?? "pack",
    readOnly: options.page === "demo",
    pack: id,
    level,
    user: options.user ?? "",
    breakpoints: loadBreakpoints(id),
  });
  try {
    const [graph, card] = await Promise.all([packs.graph(id), packs.detail(id)]);
    resetFor(id);
    store.setState({ packDetail: card });
    replaceGraph(graph);
    store.setState({ phase: "ready" });
  } catch (error) {
    store.setState({ phase: "failed", problem: errorText(error) });
    return;
  }
  if (options.page === "demo") return;
  resendUnsentEdits(id);
  openKeptTexts(id);
  socket = new PackSocket(id, {
    revision: (number) => void revisionAnnounced(number),
    written: (folder) => store.setState({ folder }),
    proposals: (proposals) => store.setState({ proposals }),
    people: (people) => store.setState({ people }),
    connected: (live) => store.setState({ connected: live }),
  });
}

/** Texts that an earlier page kept count as open until their fields store or drop them. */
function openKeptTexts(id: string): void {
  for (const key of keptKeys(`${id} `)) {
    const label = keptTyped<{ label?: string }>(key)?.label ?? "A text";
    openText(key, { status: `${label} not applied: it was typed before, and is in its field` });
  }
}

/** Open the graph of a run's revision, read-only. */
async function loadRun(run: string, options: { user?: string } = {}): Promise<void> {
  socket?.close();
  resetFor(null);
  const level = levelFromUrl();
  store.setState({
    ...INITIAL,
    phase: "loading",
    page: "run",
    readOnly: true,
    run,
    level,
    user: options.user ?? "",
  });
  try {
    // States and transitions that the run added are merged in from its events.
    const graph = await runs.graph(run, { at: 0 });
    const id = String(graph.pack);
    store.setState({ pack: id, packDetail: await packs.detail(id) });
    replaceGraph(graph);
    store.setState({ phase: "ready" });
  } catch (error) {
    store.setState({ phase: "failed", problem: errorText(error) });
  }
}

/** Apply edits as one undo step. They show at once; the promise resolves with the result. */
function edit(edits: Edit[]): Promise<Outcome> {
  const { readOnly, lockedBy } = store.getState();
  const queue = currentQueue();
  endComparison();
  if (lockedBy) {
    const error = new Error(lockedBy);
    notifyError(store, error);
    return Promise.resolve({ ok: false, error });
  }
  if (readOnly || !queue || !edits.length)
    return Promise.resolve({ ok: false, error: new Error("This pack is read-only.") });
  for (const one of edits)
    if (one.type === "rename_object")
      levelRenamed(one.element, `${one.element.slice(0, one.element.indexOf(":"))}:${one.new_key}`);
  const before = store.getState().fullGraph;
  return queue.push(edits).then((outcome) => {
    if (outcome.ok) sayRenamedPrompt(before, edits);
    return outcome;
  });
}

/** A pause after which typing begins a new undo step. */
const NEW_STEP_MS = 10_000;
let stretch = { place: "", group: "", at: 0 };

/** Apply edits of a text that a person types at this place. A stretch of typing is one undo step. */
function typed(place: string, edits: Edit[]): Promise<Outcome> {
  const now = Date.now();
  if (stretch.place !== place || now - stretch.at > NEW_STEP_MS)
    stretch = { place, group: crypto.randomUUID?.() ?? `${now}-${Math.random()}`, at: now };
  stretch.at = now;
  return edit(edits.map((one) => ({ ...one, group: stretch.group })));
}

/** Show another level. The selection is cleared and the inspector shows the level's element. */
function openLevel(level: string): void {
  const { fullGraph } = store.getState();
  if (store.getState().level === level || !canOpenLevel(store.getState(), level)) return;
  store.setState({
    level,
    graph: graphAtLevel(fullGraph, level),
    selection: new Set(),
    element: level || "pack",
  });
  socket?.sendElement(level || "pack");
}

/** Go up one level and select the state that opens this one. */
function leaveLevel(): void {
  const { level, fullGraph } = store.getState();
  const opening = [...fullGraph.states.values()].find((state) => state.inside === level);
  openLevel(opening?.level ?? TOP_LEVEL);
  if (opening) select([`state:${opening.id}`]);
}

/** Work that ends in an edit, which undo waits for: it was done before the keys were pressed. */
const comingEdits = new Set<Promise<unknown>>();
function awaitEdit<T>(work: Promise<T>): Promise<T> {
  const count = () => store.setState({ coming: comingEdits.size });
  comingEdits.add(work);
  count();
  const end = (): void => {
    comingEdits.delete(work);
    count();
  };
  work.then(end, end);
  return work;
}

/** The queue runs one after the other, however fast the keys are pressed. */
async function undoOrRedo(direction: "undo" | "redo"): Promise<Outcome> {
  storeTexts();
  await Promise.allSettled(comingEdits);
  const change = async (): Promise<Outcome> => ({ ok: true, change: await takeBack(direction) });
  try {
    return await (currentQueue()?.alone(change) ?? change());
  } catch (error) {
    notifyError(store, error);
    return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function select(elements: Iterable<string>, inspected?: string): void {
  const selection = new Set(elements);
  const element = inspected ?? [...selection].at(-1) ?? "pack";
  const same =
    selection.size === store.getState().selection.size &&
    [...selection].every((name) => store.getState().selection.has(name));
  store.setState(same ? { element } : { selection, element });
  socket?.sendElement(element);
}

async function setProfile(profile: string): Promise<void> {
  await currentQueue()?.idle();
  try {
    const card = await packs.change(openPackId(), { profile });
    store.setState({ packDetail: card });
    replaceGraph(await packs.graph(openPackId()));
  } catch (error) {
    notifyError(store, error);
  }
}

/** Set the time limit of questions to people in runs of the pack; null for that of the server. */
async function setApprovalLimit(approval_limit: PackDetail["approval_limit"]): Promise<void> {
  try {
    store.setState({ packDetail: await packs.change(openPackId(), { approval_limit }) });
  } catch (error) {
    notifyError(store, error);
  }
}

async function setName(name: string): Promise<void> {
  const change = async (in_files: boolean) => {
    const packDetail = await packs.change(openPackId(), { name, in_files });
    store.setState({ packDetail });
    return packDetail;
  };
  const { file_name, main } = await change(false);
  if (file_name === null || file_name === name) return;
  notify(store, `The name in ${main} is still “${file_name}”.`, "hint", "", {
    title: "Rename there too",
    run: () =>
      replaceOnServer(() => change(true)).catch((error: unknown) => notifyError(store, error)),
  });
}

/** Show that the prompt of a renamed state has a new id too, which the users of the pack may know. */
function sayRenamedPrompt(before: GraphMaps, edits: readonly Edit[]): void {
  for (const one of edits) {
    if (one.type !== "rename_state") continue;
    const was = before.states.get(one.id)?.prompt ?? "";
    const now = store.getState().fullGraph.states.get(one.new_id)?.prompt ?? "";
    if (!was || !now || was === now) continue;
    const old = nameOf(was);
    notify(store, `The prompt “${old}” is renamed to “${nameOf(now)}” too.`, "hint", "", {
      title: `Keep “${old}”`,
      run: () => edit([{ type: "rename_object", element: now, new_key: old }]),
    });
  }
}

const nameOf = (element: string): string => element.slice(element.indexOf(":") + 1);

/** Send a request that makes a revision, after all unsent edits, and show its graph. */
async function replaceOnServer<T>(send: () => Promise<T>): Promise<T> {
  const change = async (): Promise<T> => {
    const answer = await send();
    replaceGraph(await packs.graph(openPackId()));
    return answer;
  };
  const queue = currentQueue();
  return queue ? queue.alone(change) : change();
}

/** Restore an older revision as a new one. */
async function restore(number: number): Promise<void> {
  try {
    await replaceOnServer(() => packs.restore(openPackId(), number));
  } catch (error) {
    notifyError(store, error);
  }
}

async function resolveConflict(how: "reapply" | "discard"): Promise<void> {
  store.setState({ conflict: null });
  try {
    await (how === "reapply" ? currentQueue()?.reapply() : currentQueue()?.discard());
  } catch (error) {
    const conflict = currentQueue()?.conflict;
    if (conflict) store.setState({ conflict });
    notifyError(store, error);
  }
}

export const session = {
  store,
  get state(): SessionState {
    return store.getState();
  },
  load,
  loadRun,
  /** Findings also depend on the tools of the server. `all`: every finding of every rule. */
  refreshFindings,
  edit,
  typed,
  awaitEdit,
  undo: () => undoOrRedo("undo"),
  redo: () => undoOrRedo("redo"),
  keepDrawing,
  fetchOffers,
  fetchForm,
  reading,
  isReading,
  select,
  inspect: (element: string): void => {
    store.setState({ element });
    socket?.sendElement(element);
  },
  openLevel,
  leaveLevel,
  /** Select an element and scroll to it, after opening its level. `gentle`: only if it is not in view. */
  focus: (element: string, { gentle = false } = {}): void => {
    openLevel(levelOf(store.getState().fullGraph, element) ?? store.getState().level);
    select(element === "pack" ? [] : [element], element);
    store.setState(({ focus }) => ({ focus: { element, n: (focus?.n ?? 0) + 1, gentle } }));
  },
  /**
   * Scroll to a state that is not in view, also after a resize, without selecting it. Opens no level.
   */
  bringIntoView: (element: string): void =>
    store.setState(({ focus }) => ({ focus: { element, n: (focus?.n ?? 0) + 1, gentle: true } })),
  /** Leave the canvas where it is when it is resized. */
  endKeepingInView: (): void =>
    store.setState(({ focus }) => (focus?.gentle ? { focus: null } : {})),
  setProfile: (profile: string) => awaitEdit(setProfile(profile)),
  setName: (name: string) => awaitEdit(setName(name)),
  setApprovalLimit: (limit: PackDetail["approval_limit"]) => awaitEdit(setApprovalLimit(limit)),
  restore: (number: number) => awaitEdit(restore(number)),
  replaceOnServer,
  /** Mark the elements with conflicts of a pull on the canvas. */
  markConflicts: (elements: Iterable<string>): void =>
    store.setState({ conflictElements: new Set(elements) }),
  /** Keep the open pack from edits, with the reason; "" permits them. */
  lock: (lockedBy: string): void => store.setState({ lockedBy }),
  resolveConflict,
  compareRevisions,
  compareProposal,
  endComparison,
  /** A typed text that cannot be drawn, or null. */
  setBrokenDraft: (problem: Omit<BrokenText, "draft"> | null): void => {
    const before = store.getState().brokenText;
    if (problem) store.setState({ brokenText: { ...problem, draft: true } });
    else if (before?.draft) store.setState({ brokenText: null });
  },
  /** Show a run on top of the open graph, or none. */
  showRun: (run: string | null): void => store.setState({ run, ...(run ? {} : { overlay: null }) }),
  /** Set the open pack's breakpoints. */
  setBreakpoints: (ids: Iterable<string>): void => {
    const breakpoints = new Set(ids);
    store.setState({ breakpoints });
    storeBreakpoints(openPackId(), breakpoints);
  },
  setOverlay: (overlay: Overlay | null): void => store.setState({ overlay }),
  setHeat: (heat: Heat | null): void => store.setState({ heat }),
  setDynamicGraph,
  notify: (text: string, level?: Parameters<typeof notify>[2], hint?: string): void => {
    notify(store, text, level, hint);
  },
  notifyError: (error: unknown): void => notifyError(store, error),
  dismiss: (id: number): void => dismiss(store, id),
  /** Send the open texts, and resolve when no edit is unsent. */
  whenSaved: (): Promise<void> => {
    storeTexts();
    return currentQueue()?.idle() ?? Promise.resolve();
  },
};

/** Subscribe to a part of the session. Pass `shallow` if the selection builds a new object. */
export function useSession<S>(
  select: (state: SessionState) => S,
  same?: (before: S, after: S) => boolean,
): S {
  return useStoreWithEqualityFn(store, select, same);
}
