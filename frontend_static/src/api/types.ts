/** The wire shapes of `/api/v1/packs/…`: what the server says about a pack. */

export type Level = "error" | "warning" | "hint";
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface State {
  id: string;
  kind: string;
  name: string;
  terminal: boolean;
  stateless: boolean;
  group: string | null;
  role: string;
  counts: Record<string, number>;
  max_visits: number | null;
  /** null: never placed by anybody; the canvas lays it out. */
  x: number | null;
  y: number | null;
  width: number | null;
  height: number | null;
  note: string;
}

export type TransitionKind =
  | "event"
  | "redirect"
  | "fallback"
  | "conditional"
  | "delegate"
  | "handoff";

export interface Transition {
  /** `source|label|target` */
  id: string;
  source: string;
  target: string;
  label: string;
  kind: TransitionKind;
  event: string;
  value: string | null;
  inert: boolean;
}

export interface Group {
  id: string;
  name: string;
  kind: string;
  parent: string | null;
}

export interface Entry {
  state: string;
  key: string;
}

export interface Fix {
  label: string;
  edits: Edit[];
}

export interface Finding {
  code: string;
  level: Level;
  message: string;
  path: string;
  pointer: string;
  line: number;
  /** `state:review`, `transition:a|b|c`, `prompt:x`…, "" is the pack. */
  element: string;
  hint: string;
  fix: Fix | null;
  walk: string[];
}

export interface Section {
  kind: string;
  title: string;
  addable: boolean;
  items: { element: string; label: string }[];
}

export interface PaletteItem {
  kind: string;
  title: string;
  description: string;
  suggested_id: string;
}

export interface Can {
  can: boolean;
  label: string;
}

export interface Graph {
  pack: number | string;
  revision: number;
  dialect: string;
  profile: string;
  name: string;
  entry: string | null;
  entries: Entry[];
  states: State[];
  transitions: Transition[];
  groups: Group[];
  findings: Finding[];
  outline: Section[];
  palette: PaletteItem[];
  undo: Can;
  redo: Can;
  saved_at: string | null;
}

/** What one revision changed, as `edits/`, `undo/`, `redo/` and `changes/` answer. */
export interface Change {
  revision: number;
  base: number;
  rebased: boolean;
  graph: {
    states: { set: State[]; gone: string[] };
    transitions: { set: Transition[]; gone: string[] };
    entries?: Entry[];
    groups?: Group[];
    name?: string;
  } | null;
  /** With `graph` null: too much changed, fetch the graph again. */
  reload?: boolean;
  findings: Finding[];
  outline: Section[] | null;
  undo: Can;
  redo: Can;
  saved_at: string | null;
  summary?: string;
}

export interface Offer {
  source: string;
  /** "" is "any new name", which must match `pattern`. */
  label: string;
  kind: TransitionKind;
  /** null: any state may be hit. */
  targets: string[] | null;
  pattern: string;
  reason: string;
}

export interface Form {
  element: string;
  title: string;
  schema: { [key: string]: Json };
  values: { [key: string]: Json };
  path: string;
  pointer: string;
  line: number;
  links: { element: string; label: string }[];
  removable: boolean;
  renamable: boolean;
}

export type Edit =
  | { type: "connect"; source: string; target: string; label: string; value?: string }
  | { type: "disconnect"; transition: string }
  | { type: "retarget"; transition: string; target?: string; source?: string }
  | { type: "relabel"; transition: string; label: string }
  | { type: "add_state"; id: string; kind?: string; name?: string }
  | { type: "remove_state"; id: string }
  | { type: "rename_state"; id: string; new_id: string }
  | { type: "duplicate_state"; id: string; new_id: string }
  | { type: "set_entry"; id: string; key?: string }
  | { type: "set_field"; element: string; field: string; value: Json }
  | { type: "unset_field"; element: string; field: string }
  | { type: "add_object"; kind: string; key: string; value?: Json }
  | { type: "remove_object"; element: string }
  | { type: "rename_object"; element: string; new_key: string }
  | { type: "paste"; fragment: Json }
  | { type: "write_file"; path: string; text: string }
  | { type: "remove_file"; path: string }
  | { type: "move"; positions: Record<string, [number, number]> }
  | { type: "resize"; id: string; width: number; height: number };

export interface Conflict {
  head: number;
  yours: Edit[];
  theirs: { number: number; author: string; summary: string }[];
  places: { path: string; line: number; yours: string; theirs: string }[];
}

export interface Thumbnail {
  width: number;
  height: number;
  states: {
    id: string;
    x: number;
    y: number;
    w: number;
    h: number;
    kind: string;
    terminal: boolean;
    entry: boolean;
  }[];
  lines: [number, number, number, number, boolean][];
}

export interface Card {
  id: number | string;
  name: string;
  dialect: string;
  dialect_label: string;
  profile: string;
  profiles?: string[];
  main: string;
  origin: string;
  head: number;
  errors: number;
  warnings: number;
  states: number;
  transitions: number;
  changed_at: string;
  last_run: null | { id: string; status: string; driver: string; created_at: string };
  thumbnail: Thumbnail;
}

export interface PackFile {
  path: string;
  size: number;
  text: boolean;
}

export interface FileText {
  path: string;
  text?: string;
  binary?: boolean;
  revision?: number;
}

export interface Revision {
  number: number;
  kind: string;
  author: string;
  summary: string;
  name: string;
  created_at: string;
}

interface Changed {
  added: string[];
  removed: string[];
  changed: string[];
}

export interface Diff {
  files: { path: string; diff: string }[];
  states: Changed;
  transitions: Changed;
}

export interface Rehearsal {
  runs: number;
  coverage: number;
  transitions: Record<string, number>;
  states: Record<string, number>;
  unreached: string[];
  shortest: Record<string, string[]>;
  outcomes: Record<string, number>;
  notes: string[];
}

export interface DialectInfo {
  name: string;
  label: string;
  profiles: string[];
  rules: { code: string; level: Level; title: string; help: string }[];
}
