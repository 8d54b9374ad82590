/**
 * The graph as the server last confirmed it, and the queue of what it has not confirmed yet. What is
 * shown is always the one painted with the other.
 */

import { packs, type Change, type Conflict, type Graph, type Offer } from "../api";
import { createStore } from "../ui/store";
import { keep, kept } from "./unsentEdits";
import { notify, notifyError } from "./notices";
import { withGrown } from "./dynamicGraph";
import { alreadyDone, applyChange, paint } from "./optimisticEdits";
import { EditQueue } from "./editQueue";
import { canOpen, shownOf } from "./canvasLevels";
import { byElement, EMPTY_GRAPH, INITIAL, mapsOf } from "./state";
import type { GraphMaps, Grown, SessionState } from "./state";

export const store = createStore<SessionState>(INITIAL);

let confirmed: GraphMaps = EMPTY_GRAPH;
let queue: EditQueue | null = null;
let seen = 0;
const offersKnown = new Map<string, Promise<Offer[]>>();

/** The queue of the open pack; null where a graph is shown to look at only. */
export const outbox = (): EditQueue | null => queue;

/** Raises where no pack is open: a mistake of ours, not of a person. */
export const pack = (): string => {
  const id = store.get().pack;
  if (id === null) throw new Error("No pack is open.");
  return id;
};

export function show(): void {
  const pending = queue?.pending() ?? [];
  const save = queue?.conflict
    ? "conflict"
    : queue?.offline
      ? "offline"
      : pending.length
        ? "saving"
        : "saved";
  const state = followed(store.get());
  const whole = withGrown(paint(confirmed, pending), grown);
  store.set({ ...shownOf(state, whole), unsent: pending.length, save });
}

let grown: Grown | null = null;

/** Lay over the graph what a shown run added, or nothing. */
export function grow(next: Grown | null): void {
  const now = next && next.states.length + next.transitions.length > 0 ? next : null;
  if (now === grown) return;
  const known = new Set([...(grown?.states ?? []), ...(grown?.transitions ?? [])].map((one) => one.id));
  const fresh = [...(now?.states ?? []), ...(now?.transitions ?? [])].filter((one) => !known.has(one.id));
  grown = now;
  store.set({ arrived: { ids: new Set(fresh.map((one) => one.id)), at: Date.now() } });
  show();
  prune();
}

let moving: { from: string; to: string } | null = null;

/** The element that is shown as a level is about to get another name. */
export function levelRenamed(from: string, to: string): void {
  if (store.get().level === from) moving = { from, to };
}

/** The state on the level's new name, once the server has given it that one. */
function followed(state: SessionState): SessionState {
  if (!moving || state.level !== moving.from || canOpen({ ...state, whole: confirmed }, moving.from)) return state;
  const { to } = moving;
  moving = null;
  return canOpen({ ...state, whole: confirmed }, to) ? { ...state, level: to } : state;
}

/** The answer to an edit, to undo, or what others did. */
export function accept(change: Change): void {
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
  const whole = withGrown(confirmed, grown);
  const there = (name: string) => {
    if (name.startsWith("state:")) return whole.states.has(name.slice(6));
    if (name.startsWith("transition:")) return whole.transitions.has(name.slice(11));
    return true;
  };
  const pending = queue?.empty === false;
  if (pending || ([...selection].every(there) && there(element))) return;
  const left = new Set([...selection].filter(there));
  store.set({ selection: left, element: there(element) ? element : "pack" });
}

/** Take over a whole graph. */
export function take(graph: Graph): void {
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

/** Fetch what lies between our revision and the head. */
export async function catchUp(): Promise<void> {
  const { revision } = store.get();
  const change = await packs.changes(pack(), revision);
  if (change.graph === null && (change.reload || change.revision !== revision)) {
    take(await packs.graph(pack()));
  } else accept(change);
  show();
}

/** Another tab or person saved: fetch what lies between, unless our own request is about to tell. */
export async function heard(number: number): Promise<void> {
  seen = Math.max(seen, number);
  await queue?.idle();
  if (seen <= store.get().revision) return;
  try {
    await catchUp();
  } catch (error) {
    notifyError(store, error);
  }
}

/** Begin anew with this pack, or with none to send to. */
export function begin(id: string | null): void {
  seen = 0;
  grown = null;
  queue = id === null ? null : makeQueue(id);
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
    keep: (groups, base) => keep(id, groups, base),
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

/** What a closed tab or a dead server left unsent. */
export function resend(id: string): void {
  const { groups, base } = kept(id);
  const left = groups.filter((group) => group.some((edit) => !alreadyDone(confirmed, edit)));
  keep(id, [], 0);
  if (!left.length) return;
  const said = left.length === 1 ? "A change that had not been saved was" : `${left.length} changes that had not been saved were`;
  notify(store, `${said} sent again.`);
  queue?.resume(left, left.length < groups.length ? null : base);
}

/** What may be queue out of a state; asked once per revision. */
export function offers(state: string): Promise<Offer[]> {
  const known = offersKnown.get(state);
  if (known) return known;
  const asked = packs.offers(pack(), state);
  offersKnown.set(state, asked);
  asked.catch(() => offersKnown.delete(state));
  return asked;
}

