/**
 * The graph as the server last confirmed it and the queue of unconfirmed edits. The page always
 * shows the confirmed graph with the queued edits applied.
 */

import { packs, type Change, type Conflict, type Graph, type Offer } from "../api";
import { createStore } from "../ui/store";
import { storeUnsentEdits, loadUnsentEdits } from "./unsentEdits";
import { notify, notifyError } from "./notices";
import { withDynamicGraph } from "./dynamicGraph";
import { isAlreadyApplied, applyChange, applyEdits } from "./optimisticEdits";
import { EditQueue } from "./editQueue";
import { canOpenLevel, graphsToShow } from "./canvasLevels";
import { findingsByElement, EMPTY_GRAPH, INITIAL, toGraphMaps } from "./state";
import type { GraphMaps, DynamicGraph, SessionState } from "./state";

export const store = createStore<SessionState>(INITIAL);

let confirmed: GraphMaps = EMPTY_GRAPH;
let editQueue: EditQueue | null = null;
let newestAnnounced = 0;
const offersByState = new Map<string, Promise<Offer[]>>();

/** The edit queue of the open pack; null for a read-only graph. */
export const currentQueue = (): EditQueue | null => editQueue;

/** The id of the open pack. Throws if none is open, which is a programming error. */
export const openPackId = (): string => {
  const id = store.get().pack;
  if (id === null) throw new Error("No pack is open.");
  return id;
};

export function publishGraph(): void {
  const pending = editQueue?.pending() ?? [];
  const saveStatus = editQueue?.conflict
    ? "conflict"
    : editQueue?.offline
      ? "offline"
      : pending.length
        ? "saving"
        : "saved";
  const state = withRenamedLevel(store.get());
  const fullGraph = withDynamicGraph(applyEdits(confirmed, pending), dynamicGraph);
  store.set({ ...graphsToShow(state, fullGraph), unsent: pending.length, saveStatus });
}

let dynamicGraph: DynamicGraph | null = null;

/** Merge a run's dynamic graph into the shown graph, or remove it with null. */
export function setDynamicGraph(next: DynamicGraph | null): void {
  const now = next && next.states.length + next.transitions.length > 0 ? next : null;
  if (now === dynamicGraph) return;
  const existingIds = new Set(
    [...(dynamicGraph?.states ?? []), ...(dynamicGraph?.transitions ?? [])].map((one) => one.id),
  );
  const added = [...(now?.states ?? []), ...(now?.transitions ?? [])].filter(
    (one) => !existingIds.has(one.id),
  );
  dynamicGraph = now;
  store.set({ lastAdded: { ids: new Set(added.map((one) => one.id)), at: Date.now() } });
  publishGraph();
  pruneSelection();
}

let pendingLevelRename: { from: string; to: string } | null = null;

/** Record that the shown level is about to be renamed. */
export function levelRenamed(from: string, to: string): void {
  if (store.get().level === from) pendingLevelRename = { from, to };
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

/** Apply the server's answer to an edit, an undo, or another user's change. */
export function applyServerChange(change: Change): void {
  confirmed = applyChange(confirmed, change);
  offersByState.clear();
  store.set({
    revision: change.revision,
    findings: change.findings,
    findingsOf: findingsByElement(change.findings),
    outline: change.outline ?? store.get().outline,
    undo: change.undo,
    redo: change.redo,
    savedAt: change.saved_at,
  });
  pruneSelection();
}

/** Deselect elements that no longer exist. */
function pruneSelection(): void {
  const { selection, element } = store.get();
  const fullGraph = withDynamicGraph(confirmed, dynamicGraph);
  const exists = (name: string) => {
    if (name.startsWith("state:")) return fullGraph.states.has(name.slice(6));
    if (name.startsWith("transition:")) return fullGraph.transitions.has(name.slice(11));
    return true;
  };
  const pending = editQueue?.empty === false;
  if (pending || ([...selection].every(exists) && exists(element))) return;
  const remaining = new Set([...selection].filter(exists));
  store.set({ selection: remaining, element: exists(element) ? element : "pack" });
}

/** Replace the confirmed graph. */
export function replaceGraph(graph: Graph): void {
  confirmed = toGraphMaps(graph);
  offersByState.clear();
  store.set({
    revision: graph.revision,
    profile: graph.profile,
    findings: graph.findings,
    findingsOf: findingsByElement(graph.findings),
    outline: graph.outline,
    palette: graph.palette,
    undo: graph.undo,
    redo: graph.redo,
    savedAt: graph.saved_at,
  });
  publishGraph();
}

/** Fetch the changes between the local revision and the head. */
export async function catchUp(): Promise<void> {
  const { revision } = store.get();
  const change = await packs.changes(openPackId(), revision);
  if (change.graph === null && (change.reload || change.revision !== revision)) {
    replaceGraph(await packs.graph(openPackId()));
  } else applyServerChange(change);
  publishGraph();
}

/** Another tab or user saved a revision. Fetch it unless a pending request already covers it. */
export async function revisionAnnounced(number: number): Promise<void> {
  newestAnnounced = Math.max(newestAnnounced, number);
  await editQueue?.idle();
  if (newestAnnounced <= store.get().revision) return;
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
  editQueue = id === null ? null : makeQueue(id);
}

function makeQueue(id: string): EditQueue {
  return new EditQueue({
    expectedRevision: () => store.get().revision,
    send: (base, edits) => packs.edit(id, base, edits),
    catchUp,
    isAlreadyApplied: (edit) => isAlreadyApplied(confirmed, edit),
    confirmed: applyServerChange,
    refused: (error) => notifyError(store, error),
    conflicted: (conflict: Conflict) => store.set({ conflict, saveStatus: "conflict" }),
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
