/**
 * The graph as the server last confirmed it and the queue of unconfirmed edits. The page always
 * shows the confirmed graph with the queued edits applied.
 */

import { createStore } from "zustand";
import {
  packs,
  type Change,
  type Conflict,
  type Edit,
  type Finding,
  type Form,
  type Graph,
  type Offer,
} from "../api";
import { storeUnsentEdits, loadUnsentEdits } from "./unsentEdits";
import { notify, notifyError } from "./notices";
import { withDynamicGraph } from "./dynamicGraph";
import {
  isAlreadyApplied,
  isDrawnAtOnce,
  applyChange,
  applyEdits,
  withMoves,
} from "./optimisticEdits";
import { EditQueue } from "./editQueue";
import { UndoGraphs } from "./undoGraphs";
import { canOpenLevel, graphsToShow } from "./canvasLevels";
import { findingsByElement, EMPTY_GRAPH, INITIAL, toGraphMaps } from "./state";
import type { BrokenText, GraphMaps, DynamicGraph, SessionState } from "./state";

export const store = createStore<SessionState>(() => INITIAL);

let confirmed: GraphMaps = EMPTY_GRAPH;
const undoGraphs = new UndoGraphs();
/** The graph that a running undo or redo is expected to give, shown until the server answers. */
let expected: GraphMaps | null = null;
let editQueue: EditQueue | null = null;
let newestAnnounced = 0;
const offersByState = new Map<string, Promise<Offer[]>>();

/** The edit queue of the open pack; null for a read-only graph. */
export const currentQueue = (): EditQueue | null => editQueue;

/** The graph that the server last confirmed. */
export const confirmedGraph = (): GraphMaps => confirmed;

/** The id of the open pack. Throws if none is open, which is a programming error. */
export const openPackId = (): string => {
  const id = store.getState().pack;
  if (id === null) throw new Error("No pack is open.");
  return id;
};

let draftEdits: readonly Edit[] = [];
let drawing: (() => Edit[]) | null = null;

/** Set the canvas' function for the edits that keep what it draws; null without a canvas. */
export function keepDrawing(edits: typeof drawing): void {
  drawing = edits;
}

/** The drawing is kept with edits whose effect on the graph is shown before their answer. */
function drawingAfter(edits: readonly Edit[]): Edit[] {
  const group = edits[0]?.group;
  if (!drawing || !edits.some(isDrawnAtOnce)) return [];
  publishGraph();
  return drawing().map((edit) => ({ ...edit, ...(group && { group }) }));
}

/** Set the edits that are shown and not sent. The caller publishes the graph. */
export function setDraftEdits(edits: readonly Edit[]): void {
  draftEdits = edits;
}

export function publishGraph(): void {
  const pending = editQueue?.pending() ?? [];
  const saveStatus = editQueue?.conflict
    ? "conflict"
    : editQueue?.offline
      ? "offline"
      : pending.length || expected
        ? "saving"
        : "saved";
  const state = withRenamedLevel(store.getState());
  const shown = applyEdits(expected ?? confirmed, [...pending, ...draftEdits]);
  const fullGraph = state.comparison?.graph ?? withDynamicGraph(shown, dynamicGraph);
  store.setState({ ...graphsToShow(state, fullGraph), unsent: pending.length, saveStatus });
}

let dynamicGraph: DynamicGraph | null = null;

/** Merge a run's dynamic graph into the shown graph, or remove it with null. */
export function setDynamicGraph(next: DynamicGraph | null): void {
  const changes = next ? next.states.length + next.transitions.length + next.removed.length : 0;
  const now = changes > 0 ? next : null;
  if (now === dynamicGraph) return;
  const existingIds = new Set(
    [...(dynamicGraph?.states ?? []), ...(dynamicGraph?.transitions ?? [])].map((one) => one.id),
  );
  const added = [...(now?.states ?? []), ...(now?.transitions ?? [])].filter(
    (one) => !existingIds.has(one.id),
  );
  dynamicGraph = now;
  store.setState({ lastAdded: { ids: new Set(added.map((one) => one.id)), at: Date.now() } });
  publishGraph();
  pruneSelection();
}

let pendingLevelRename: { from: string; to: string } | null = null;

/** Record that the shown level is about to be renamed. */
export function levelRenamed(from: string, to: string): void {
  if (store.getState().level === from) pendingLevelRename = { from, to };
}

/** The state on the renamed level, once the server has confirmed the new name. */
function withRenamedLevel(state: SessionState): SessionState {
  if (
    !pendingLevelRename ||
    state.level !== pendingLevelRename.from ||
    canOpenLevel({ ...state, fullGraph: confirmed }, pendingLevelRename.from)
  )
    return state;
  const { to } = pendingLevelRename;
  pendingLevelRename = null;
  return canOpenLevel({ ...state, fullGraph: confirmed }, to) ? { ...state, level: to } : state;
}

/** The notice of a pack whose files were deleted in the opened folder. */
const DELETED = "Deleted in the folder";

/**
 * Apply the server's answer to an edit, an undo, or another user's change. `edits` are the edits
 * that it answers.
 */
export function applyServerChange(change: Change, edits: readonly Edit[] = []): void {
  confirmed = applyChange(withMoves(confirmed, edits, change), change);
  offersByState.clear();
  store.setState({
    revision: change.revision,
    ...(change.findings && withFindings(change.findings)),
    outline: change.outline ?? store.getState().outline,
    undo: change.undo,
    redo: change.redo,
    savedAt: change.saved_at,
    brokenText: savedProblem(change.readable, change.findings ?? []),
  });
  if (change.findings === null) void refreshFindings();
  if (change.notice && change.notice !== DELETED) store.setState({ metFolderAt: change.revision });
  if (change.notice)
    notify(
      store,
      `${change.notice}.`,
      "error",
      change.notice === DELETED
        ? "The last version is shown. Undo writes its files again."
        : "The file's version is shown, and the conflict has both. Undo restores the edit, also in the file.",
    );
  pruneSelection();
}

/**
 * Undo or redo on the server, and show the expected graph meanwhile. The opposite is possible from
 * then on, because it waits for this one.
 */
export async function takeBack(direction: "undo" | "redo"): Promise<Change> {
  const before = confirmed;
  const opposite = direction === "undo" ? "redo" : "undo";
  const known = store.getState()[opposite];
  expected = undoGraphs.expected(direction);
  store.setState({ [opposite]: { ...known, can: true } });
  if (expected) publishGraph();
  try {
    const change = await packs[direction](openPackId(), store.getState().revision);
    if (followsShown(change)) undoGraphs.tookBack(direction, before);
    else undoGraphs.clear();
    if (change.graph === null) replaceGraph(await packs.graph(openPackId()));
    applyServerChange(change);
    return change;
  } catch (error) {
    store.setState({ [opposite]: known });
    throw error;
  } finally {
    expected = null;
    publishGraph();
  }
}

/** Apply the server's answer to own edits. */
function applyAnswer(change: Change, edits: readonly Edit[]): void {
  if (followsShown(change)) undoGraphs.edited(confirmed);
  else undoGraphs.clear();
  applyServerChange(change, edits);
}

/** True if nothing was saved between the shown revision and this change. */
const followsShown = (change: Change): boolean =>
  !change.rebased && change.revision === store.getState().revision + 1;

const withFindings = (findings: Finding[]) => ({
  findings,
  findingsOf: findingsByElement(findings),
});

/** The number of findings of each rule that a page asks for; the last one counts the others. */
const PER_RULE = 50;
let wanted: { all: boolean } | null = null;
let refreshing = false;

/**
 * Fetch the findings of the newest revision: a large pack is checked after the answer to an edit.
 * One request at a time; all that are wanted meanwhile are covered by one more.
 */
export async function refreshFindings({ all = false } = {}): Promise<void> {
  wanted = { all };
  if (refreshing) return;
  refreshing = true;
  try {
    while (wanted) {
      const { pack, page, revision } = store.getState();
      const most = wanted.all ? null : PER_RULE;
      wanted = null;
      if (pack === null || page === "run") return;
      const findings = await packs.findings(pack, most);
      const now = store.getState();
      if (now.pack === pack && now.revision === revision) store.setState(withFindings(findings));
    }
  } catch (error) {
    notifyError(store, error);
  } finally {
    refreshing = false;
  }
}

/** The first error of an unreadable revision; a draft that is broken stays broken. */
function savedProblem(readable: boolean, findings: Finding[]): BrokenText | null {
  const before = store.getState().brokenText;
  if (readable) return before?.draft ? before : null;
  const first = findings.find((one) => one.level === "error") ?? findings[0];
  return {
    path: first?.path ?? "",
    line: first?.line ?? 0,
    message: first?.message ?? "The pack cannot be read.",
    draft: false,
  };
}

/** Deselect elements that no longer exist. */
function pruneSelection(): void {
  const { selection, element } = store.getState();
  const fullGraph = withDynamicGraph(confirmed, dynamicGraph);
  const exists = (name: string) => {
    if (store.getState().comparison) return true;
    if (name.startsWith("state:")) return fullGraph.states.has(name.slice(6));
    if (name.startsWith("transition:")) return fullGraph.transitions.has(name.slice(11));
    return true;
  };
  const pending = editQueue?.empty === false || draftEdits.length > 0;
  if (pending || ([...selection].every(exists) && exists(element))) return;
  const remaining = new Set([...selection].filter(exists));
  store.setState({ selection: remaining, element: exists(element) ? element : "pack" });
}

/** Replace the confirmed graph. */
export function replaceGraph(graph: Graph): void {
  undoGraphs.clear();
  confirmed = toGraphMaps(graph);
  offersByState.clear();
  store.setState({
    revision: graph.revision,
    profile: graph.profile,
    ...withFindings(graph.findings),
    outline: graph.outline,
    palette: graph.palette,
    undo: graph.undo,
    redo: graph.redo,
    savedAt: graph.saved_at,
    brokenText: savedProblem(graph.readable, graph.findings),
  });
  publishGraph();
}

let keptForm: { revision: number; form: Form } | null = null;

/** Keep the form that came with the answer to an edit, for the inspector. */
function keepForm(revision: number, form: Form): void {
  keptForm = { revision, form };
}

/** The inspector's form of an element at the newest revision. */
export function fetchForm(element: string): Promise<Form> {
  const { revision } = store.getState();
  if (keptForm?.revision === revision && keptForm.form.element === element)
    return Promise.resolve(keptForm.form);
  return reading(packs.fields(openPackId(), element));
}

let openReads = 0;

/** Count the answer as on its way to the fields of the page. */
export async function reading<T>(answer: Promise<T>): Promise<T> {
  openReads += 1;
  try {
    return await answer;
  } finally {
    openReads -= 1;
  }
}

/** True while another person's change may be on its way to a field. */
export const isReading = (): boolean => openReads > 0;

/** Fetch the changes between the local revision and the head. */
export async function catchUp(): Promise<void> {
  const { revision } = store.getState();
  const change = await packs.changes(openPackId(), revision);
  if (change.graph === null && (change.reload || change.revision !== revision)) {
    replaceGraph(await packs.graph(openPackId()));
  } else {
    if (change.revision !== revision) undoGraphs.clear();
    applyServerChange(change);
  }
  publishGraph();
}

/** Another tab or user saved a revision. Fetch it unless a pending request already covers it. */
export async function revisionAnnounced(number: number): Promise<void> {
  newestAnnounced = Math.max(newestAnnounced, number);
  await editQueue?.idle();
  if (newestAnnounced <= store.getState().revision) return;
  try {
    await catchUp();
  } catch (error) {
    notifyError(store, error);
  }
}

/** Reset for this pack, or for a read-only graph with null. */
export function resetFor(id: string | null): void {
  newestAnnounced = 0;
  dynamicGraph = null;
  draftEdits = [];
  expected = null;
  undoGraphs.clear();
  editQueue = id === null ? null : makeQueue(id);
}

function makeQueue(id: string): EditQueue {
  return new EditQueue({
    expectedRevision: () => store.getState().revision,
    send: async (base, edits) => {
      const { element } = store.getState();
      const change = await packs.edit(id, base, edits, element);
      if (change.form) keepForm(change.revision, change.form);
      return change;
    },
    catchUp,
    isAlreadyApplied: (edit) => isAlreadyApplied(confirmed, edit),
    confirmed: applyAnswer,
    refused: (error) => notifyError(store, error),
    conflicted: (conflict: Conflict) => store.setState({ conflict, saveStatus: "conflict" }),
    drawing: drawingAfter,
    changed: publishGraph,
    store: (groups, base) => storeUnsentEdits(id, groups, base),
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

/** Send the edits that a closed tab or a stopped server left unsent. */
export function resendUnsentEdits(id: string): void {
  const { groups, base } = loadUnsentEdits(id);
  const unapplied = groups.filter((group) =>
    group.some((edit) => !isAlreadyApplied(confirmed, edit)),
  );
  storeUnsentEdits(id, [], 0);
  if (!unapplied.length) return;
  const subject =
    unapplied.length === 1
      ? "A change that had not been saved was"
      : `${unapplied.length} changes that had not been saved were`;
  notify(store, `${subject} sent again.`);
  editQueue?.resume(unapplied, unapplied.length < groups.length ? null : base);
}

/** The transitions that may be added to a state. Requested once per revision. */
export function fetchOffers(state: string): Promise<Offer[]> {
  const cached = offersByState.get(state);
  if (cached) return cached;
  const request = packs.offers(openPackId(), state);
  offersByState.set(state, request);
  request.catch(() => offersByState.delete(state));
  return request;
}
