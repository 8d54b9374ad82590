/** The session's state, which canvas, panels and run page read. */

import type {
  ApiError,
  UndoButton,
  Change,
  Conflict,
  Entry,
  Finding,
  Graph,
  Json,
  PackDetail,
} from "../api";
import type { Group, Level, PaletteItem, Person, Section, State, Transition } from "../api";

/** The graph with maps for lookup by id. Immutable. */
export interface GraphMaps {
  dialect: string;
  name: string;
  entries: Entry[];
  states: ReadonlyMap<string, State>;
  transitions: ReadonlyMap<string, Transition>;
  groups: Group[];
  /** For elements that a run added: element id → id of the state that added it. */
  addedBy?: Readonly<Record<string, string>>;
}

/** `idle`: nothing is loaded. `failed`: `problem` holds the message. */
export type Phase = "idle" | "loading" | "ready" | "failed";
export type SaveStatus = "saved" | "saving" | "offline" | "conflict";

/** The marks of a run on the graph. `run/` derives them from the run's events. */
export interface Overlay {
  active: ReadonlySet<string>;
  waiting: ReadonlySet<string>;
  failed: ReadonlySet<string>;
  /** States whose request failed: the run is paused until it is resumed. */
  halted?: ReadonlySet<string>;
  /** State id → number of visits. */
  visits: ReadonlyMap<string, number>;
  taken: ReadonlyMap<string, number>;
  /**
   * The transitions taken last, each with the number of its event. A dot travels along each once.
   */
  lastTaken: ReadonlyMap<string, number> | null;
  /** In a rehearsal: the transitions and states that were never reached. null for a run. */
  unreached: ReadonlySet<string> | null;
  /** Ids of states and transitions at which the active run pauses. */
  breakpoints?: ReadonlySet<string> | undefined;
  /** State id → status of the agent that works there. */
  cardStatus?: ReadonlyMap<string, CardStatus>;
  /** Transition id → who owes whom a reply, as text. */
  owedReplies?: ReadonlyMap<string, string>;
}

/** State id → its share of the largest value as a level from 1 to 5, and the value as text. */
export type Heat = ReadonlyMap<string, { level: number; label: string }>;

/** The status of an agent, as its card shows it. */
export interface CardStatus {
  status: "idle" | "running" | "waiting" | "failed" | "stalled" | "stopped";
  inbox: number;
}

/**
 * The states and transitions that a run added to the graph. `addedBy`: element id → id of the state
 * that was active. `removed`: ids of what the run removed from the pack's graph or its own.
 */
export interface DynamicGraph {
  states: readonly State[];
  transitions: readonly Transition[];
  addedBy: Readonly<Record<string, string>>;
  removed: readonly string[];
}

export interface Notice {
  id: number;
  level: Level | "ok";
  text: string;
  hint: string;
  action: NoticeAction | null;
}

/** The button of a notice. */
export interface NoticeAction {
  title: string;
  run: () => unknown;
}

/** A text that cannot be drawn. `draft`: it is typed, but not saved. */
export interface BrokenText {
  path: string;
  line: number;
  message: string;
  draft: boolean;
}

export type DiffMark = "added" | "removed" | "changed" | "renamed";

/** The value of a field before and after; undefined if it has none. */
export interface FieldChange {
  pointer: string;
  was?: Json;
  now?: Json;
}

/**
 * The consequences of a proposal by element: findings that appear, changed fields, and the recorded
 * run that took a removed transition.
 */
export interface ProposedChanges {
  findings: ReadonlyMap<string, Finding[]>;
  fields: ReadonlyMap<string, readonly FieldChange[]>;
  takenBy: ReadonlyMap<string, { run: string; n: number }>;
}

/**
 * Two versions on one canvas: the newer graph, and what only the older one has. `marks`: element →
 * how it differs; `was`: element → its old name; `proposed`: for a revision that has not happened.
 */
export interface Comparison {
  proposed?: ProposedChanges;
  graph: GraphMaps;
  marks: ReadonlyMap<string, DiffMark>;
  was: ReadonlyMap<string, string>;
}

/** A new state without its final id. */
export interface Draft {
  id: string;
  kind: string;
}

export interface SessionState {
  phase: Phase;
  problem: string;
  pack: string | null;
  packDetail: PackDetail | null;
  user: string;
  revision: number;
  profile: string;
  /** All states and transitions of the pack, on all levels. */
  fullGraph: GraphMaps;
  /** The level that the canvas shows. "" is the top level; others are named like an element. */
  level: string;
  /** The part of the graph on the shown level. */
  graph: GraphMaps;
  findings: Finding[];
  /** Element (`state:x`, `transition:…`) → its findings, worst first. */
  findingsOf: ReadonlyMap<string, Finding[]>;
  outline: Section[];
  palette: PaletteItem[];
  undo: UndoButton;
  redo: UndoButton;
  saveStatus: SaveStatus;
  savedAt: string | null;
  /** The last write to the opened folder; null for a pack without a folder. */
  folder: FolderWrite | null;
  /** The number of edits that the server has not confirmed. */
  unsent: number;
  /** The number of changes whose requests are under way or about to be sent. */
  coming: number;
  conflict: Conflict | null;
  selection: ReadonlySet<string>;
  /** The element that the inspector shows; "pack" if nothing is selected. */
  element: string;
  /** A state that is drawn and not saved, because its name is being typed. */
  draft: Draft | null;
  /** The demo has no server: its pack is never stored, so it is read-only, as on a run's page. */
  page: "pack" | "run" | "demo";
  readOnly: boolean;
  /** The problem of a text that cannot be drawn; the canvas shows the last graph, dimmed. */
  brokenText: BrokenText | null;
  /** A difference that the canvas shows in colour. */
  comparison: Comparison | null;
  /** The shown run, on its own page or on top of the editor. */
  run: string | null;
  overlay: Overlay | null;
  /** The heat of a run by which its cards are coloured; null for none. */
  heat: Heat | null;
  /** Ids of states and transitions at which this user's runs of the pack pause. */
  breakpoints: ReadonlySet<string>;
  /** The elements that a run added last, and when (milliseconds), so that they fade in. */
  lastAdded: { ids: ReadonlySet<string>; at: number };
  /** The elements with conflicts of a pull that wait for a decision. */
  conflictElements: ReadonlySet<string>;
  /** The revision in which a change of the opened folder last met an edit of the same place; 0. */
  metFolderAt: number;
  /** The reason that the open pack cannot be edited here; empty if it can. */
  lockedBy: string;
  people: Person[];
  /** The number of changes of the pack's proposals; 0 if there was never one. */
  proposals: number;
  connected: boolean;
  notices: Notice[];
  /**
   * A request to scroll the canvas to an element. `n` increases with each request; a `gentle` one
   * moves nothing if the element is in view.
   */
  focus: { element: string; n: number; gentle?: boolean } | null;
}

/**
 * The revision that an opened folder has, and why it has no newer one; "" for no reason. `checkout`:
 * its branch, and what git has not ended there.
 */
export interface FolderWrite {
  number: number;
  problem: string;
  checkout: string;
}

export const EMPTY_GRAPH: GraphMaps = {
  dialect: "",
  name: "",
  entries: [],
  states: new Map(),
  transitions: new Map(),
  groups: [],
};

const DISABLED: UndoButton = { can: false, label: "" };

export const INITIAL: SessionState = {
  phase: "idle",
  problem: "",
  pack: null,
  packDetail: null,
  user: "",
  revision: 0,
  profile: "",
  fullGraph: EMPTY_GRAPH,
  level: "",
  graph: EMPTY_GRAPH,
  findings: [],
  findingsOf: new Map(),
  outline: [],
  palette: [],
  undo: DISABLED,
  redo: DISABLED,
  saveStatus: "saved",
  savedAt: null,
  folder: null,
  unsent: 0,
  coming: 0,
  conflict: null,
  selection: new Set(),
  element: "pack",
  draft: null,
  page: "pack",
  readOnly: false,
  brokenText: null,
  comparison: null,
  run: null,
  overlay: null,
  heat: null,
  breakpoints: new Set(),
  lastAdded: { ids: new Set(), at: 0 },
  conflictElements: new Set(),
  metFolderAt: 0,
  lockedBy: "",
  people: [],
  proposals: 0,
  connected: false,
  notices: [],
  focus: null,
};

export function toGraphMaps(graph: Graph): GraphMaps {
  return {
    dialect: graph.dialect,
    name: graph.name,
    entries: graph.entries,
    states: new Map(graph.states.map((state) => [state.id, state])),
    transitions: new Map(graph.transitions.map((arrow) => [arrow.id, arrow])),
    groups: graph.groups,
  };
}

const LEVEL_ORDER: Record<Level, number> = { error: 0, warning: 1, hint: 2 };

export function findingsByElement(findings: Finding[]): Map<string, Finding[]> {
  const findingsOf = new Map<string, Finding[]>();
  for (const finding of findings) {
    const list = findingsOf.get(finding.element);
    if (list) list.push(finding);
    else findingsOf.set(finding.element, [finding]);
  }
  for (const list of findingsOf.values())
    list.sort((a, b) => LEVEL_ORDER[a.level] - LEVEL_ORDER[b.level]);
  return findingsOf;
}

const NO_FINDINGS: readonly Finding[] = [];

/** The findings that the card of a state shows: its own and those of its prompt, worst first. */
export function cardFindings(
  { findingsOf }: Pick<SessionState, "findingsOf">,
  state: Pick<State, "id" | "prompt">,
): readonly Finding[] {
  const own = findingsOf.get(`state:${state.id}`) ?? NO_FINDINGS;
  const ofPrompt = state.prompt ? findingsOf.get(state.prompt) : undefined;
  if (!ofPrompt) return own;
  if (!own.length) return ofPrompt;
  return [...own, ...ofPrompt].sort((a, b) => LEVEL_ORDER[a.level] - LEVEL_ORDER[b.level]);
}

/**
 * The result of an edit: saved (null if it was saved before), or refused with the server's error.
 */
export type Outcome = { ok: true; change: Change | null } | { ok: false; error: ApiError | Error };

/** True if nothing of the open pack can be changed on this page. */
export const isFixed = (state: SessionState): boolean => state.readOnly || state.lockedBy !== "";
