/** What the editor knows. The one value that canvas, panels and run page read. */

import type {
  ApiError,
  UndoButton,
  Change,
  Conflict,
  Entry,
  Finding,
  Graph,
  PackDetail,
} from "../api";
import type { Group, Level, PaletteItem, Person, Section, State, Transition } from "../api";

/** The graph with maps, so that one box is found without a walk. Never changed in place. */
export interface GraphMaps {
  dialect: string;
  name: string;
  entries: Entry[];
  states: ReadonlyMap<string, State>;
  transitions: ReadonlyMap<string, Transition>;
  groups: Group[];
  /** Of what a shown run added, by id: the state that added it. */
  addedBy?: Readonly<Record<string, string>>;
}

/** `idle`: nothing loaded. `loading`, `ready`, or `failed` with a sentence in `problem`. */
export type Phase = "idle" | "loading" | "ready" | "failed";
export type SaveStatus = "saved" | "saving" | "offline" | "conflict";

/** What a shown run paints over the graph: folded from its events by `run/`. */
export interface Overlay {
  active: ReadonlySet<string>;
  waiting: ReadonlySet<string>;
  failed: ReadonlySet<string>;
  /** How often each state (by id) was entered and each transition (by id) was taken. */
  visits: ReadonlyMap<string, number>;
  taken: ReadonlyMap<string, number>;
  /** Transitions taken just now, with the event that took each; a dot travels it once per event. */
  lastTaken: ReadonlyMap<string, number> | null;
  /** Rehearsal: transitions never walked are muted. null: not a coverage view. */
  unreached: ReadonlySet<string> | null;
  /** States and transitions (by id) at which the run pauses by itself, while it goes on. */
  breakpoints?: ReadonlySet<string> | undefined;
  /** How those stand who take turns, by state. */
  cardStatus?: ReadonlyMap<string, CardStatus>;
  /** Transitions along which a reply is owed, with who owes it to whom in words. */
  owedReplies?: ReadonlyMap<string, string>;
}

/** What a card says of who works there. */
export interface CardStatus {
  status: "idle" | "running" | "waiting" | "failed" | "stalled" | "stopped";
  inbox: number;
}

/** What a shown run added to the graph, and by whom: id of each → the state that was at work then. */
export interface DynamicGraph {
  states: readonly State[];
  transitions: readonly Transition[];
  addedBy: Readonly<Record<string, string>>;
}

export interface Notice {
  id: number;
  level: Level | "ok";
  text: string;
  hint: string;
}

export interface SessionState {
  phase: Phase;
  problem: string;
  pack: string | null;
  packDetail: PackDetail | null;
  user: string;
  revision: number;
  profile: string;
  /** Everything of the pack, whatever level it stands on. */
  fullGraph: GraphMaps;
  /** The canvas that is shown: "" is the pack's own, others are named like an element. */
  level: string;
  /** What stands on that level. */
  graph: GraphMaps;
  findings: Finding[];
  /** Worst findings first, by element (`state:x`, `transition:…`). */
  findingsOf: ReadonlyMap<string, Finding[]>;
  outline: Section[];
  palette: PaletteItem[];
  undo: UndoButton;
  redo: UndoButton;
  saveStatus: SaveStatus;
  savedAt: string | null;
  /** Edits made here that the server has not confirmed. */
  unsent: number;
  conflict: Conflict | null;
  selection: ReadonlySet<string>;
  /** What the inspector shows: an element, "pack" when nothing is selected. */
  element: string;
  readOnly: boolean;
  /** The run that is shown, on its own page or over the editor. */
  run: string | null;
  overlay: Overlay | null;
  /** States and transitions (by id) at which runs of this pack are to pause: this person's own. */
  breakpoints: ReadonlySet<string>;
  /** What came last of what a shown run added, and when (milliseconds): it glides in. */
  lastAdded: { ids: ReadonlySet<string>; at: number };
  people: Person[];
  connected: boolean;
  notices: Notice[];
  /** Ask the canvas to glide to an element; `n` grows with each request. */
  focus: { element: string; n: number } | null;
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
  unsent: 0,
  conflict: null,
  selection: new Set(),
  element: "pack",
  readOnly: false,
  run: null,
  overlay: null,
  breakpoints: new Set(),
  lastAdded: { ids: new Set(), at: 0 },
  people: [],
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

/** How an edit ended: carried out (null: it was already there), or refused with the server's words. */
export type Outcome = { ok: true; change: Change | null } | { ok: false; error: ApiError | Error };
