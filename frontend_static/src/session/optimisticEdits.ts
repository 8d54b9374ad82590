/**
 * The expected effect of edits, shown before the server answers. Only edits with an obvious effect
 * on the graph are covered; the server's answer always wins.
 */

import type { Change, Edit, State, Transition } from "../api";
import { levelForId } from "./canvasLevels";
import type { GraphMaps } from "./state";

export const transitionId = (source: string, label: string, target: string): string =>
  `${source}|${label}|${target}`;

export function emptyState(id: string, kind: string, name = "", level = ""): State {
  return {
    id,
    kind,
    name,
    terminal: false,
    stateless: false,
    group: null,
    role: "",
    prompt_users: 0,
    prompt: "",
    prompt_line: "",
    counts: {},
    max_visits: null,
    level,
    inside: "",
    x: null,
    y: null,
    width: null,
    height: null,
    routes: null,
    note: "",
    bound: null,
    approval_limit: null,
  };
}

/** The graph with these edits applied. Unknown ids are ignored because the server reports them. */
export function applyEdits(graph: GraphMaps, edits: readonly Edit[]): GraphMaps {
  if (!edits.length) return graph;
  const states = new Map(graph.states);
  const arrows = new Map(graph.transitions);
  const next = { ...graph, states, transitions: arrows };
  for (const edit of edits) applyEdit(next, states, arrows, edit);
  return next;
}

function applyEdit(
  graph: GraphMaps,
  states: Map<string, State>,
  arrows: Map<string, Transition>,
  edit: Edit,
): void {
  switch (edit.type) {
    case "connect":
      return addTransition(arrows, {
        ...newTransition(edit.source, edit.label, edit.target),
        value: edit.value ?? null,
      });
    case "disconnect":
      arrows.delete(edit.transition);
      return;
    case "retarget":
      return replaceTransition(arrows, edit.transition, (was) => ({
        ...was,
        source: edit.source ?? was.source,
        target: edit.target ?? was.target,
      }));
    case "relabel":
      return replaceTransition(arrows, edit.transition, (was) => ({ ...was, label: edit.label }));
    case "add_state":
      if (!states.has(edit.id))
        states.set(
          edit.id,
          emptyState(edit.id, edit.kind ?? "", edit.name, levelForId(graph, edit.id)),
        );
      return;
    case "duplicate_state":
      return duplicateState(states, arrows, edit.id, edit.new_id);
    case "remove_state":
      states.delete(edit.id);
      for (const [id, was] of arrows)
        if (was.source === edit.id || was.target === edit.id) arrows.delete(id);
      return;
    case "rename_state":
      return renameState(graph, states, arrows, edit.id, edit.new_id);
    case "move":
      for (const [id, [x, y]] of Object.entries(edit.positions ?? {})) {
        const was = states.get(id);
        if (was) states.set(id, { ...was, x, y });
      }
      return;
    case "draw":
      return keepDrawing(states, edit);
    case "resize":
      return updateState(states, edit.id, { width: edit.width, height: edit.height });
    case "bind_role":
      return updateState(states, edit.id, { bound: edit.binding ? boundRole(edit.binding) : null });
    case "limit_approvals":
      return updateState(states, edit.id, {
        approval_limit:
          edit.hours == null
            ? null
            : { hours: edit.hours, outcome: (edit.outcome ?? "deny") as Outcome },
      });
    case "write_note":
      return updateState(states, edit.id, { note: edit.text.trim() });
    default:
  }
}

/** States that have a position keep it. */
function keepDrawing(states: Map<string, State>, edit: Extract<Edit, { type: "draw" }>): void {
  for (const [id, [x, y]] of Object.entries(edit.positions ?? {}))
    if (states.get(id)?.x === null) updateState(states, id, { x, y });
  for (const [id, routes] of Object.entries(edit.routes ?? {})) updateState(states, id, { routes });
}

const DRAWN_AT_ONCE: ReadonlySet<Edit["type"]> = new Set([
  "connect",
  "disconnect",
  "retarget",
  "relabel",
  "add_state",
  "duplicate_state",
  "remove_state",
  "rename_state",
  "move",
  "resize",
]);

/** True if the effect of an edit on the drawing is known before its answer. */
export const isDrawnAtOnce = (edit: Edit): boolean => DRAWN_AT_ONCE.has(edit.type);

function updateState(states: Map<string, State>, id: string, values: Partial<State>): void {
  const was = states.get(id);
  if (was) states.set(id, { ...was, ...values });
}

type Outcome = NonNullable<State["approval_limit"]>["outcome"];
type Binding = NonNullable<Extract<Edit, { type: "bind_role" }>["binding"]>;

/** The binding as it will be stored. The server fills in the role's name and colour. */
function boundRole(binding: Binding): State["bound"] {
  return { name: "", color: "", override: "", mode: null, gate: null, ...binding };
}

function newTransition(source: string, label: string, target: string): Transition {
  const id = transitionId(source, label, target);
  return { id, source, target, label, kind: "event", event: label, value: null, inert: false };
}

function addTransition(arrows: Map<string, Transition>, transition: Transition): void {
  const id = transitionId(transition.source, transition.label, transition.target);
  if (!arrows.has(id)) arrows.set(id, { ...transition, id });
}

function replaceTransition(
  arrows: Map<string, Transition>,
  id: string,
  change: (was: Transition) => Transition,
): void {
  const was = arrows.get(id);
  if (!was) return;
  arrows.delete(id);
  addTransition(arrows, change(was));
}

function duplicateState(
  states: Map<string, State>,
  arrows: Map<string, Transition>,
  id: string,
  copy: string,
): void {
  const was = states.get(id);
  if (!was || states.has(copy)) return;
  states.set(copy, {
    ...was,
    id: copy,
    x: null,
    y: null,
    routes: null,
    note: "",
    bound: null,
    approval_limit: null,
  });
  for (const line of [...arrows.values()])
    if (line.source === id)
      addTransition(arrows, {
        ...line,
        source: copy,
        target: line.target === id ? copy : line.target,
      });
}

function renameState(
  graph: GraphMaps,
  states: Map<string, State>,
  arrows: Map<string, Transition>,
  id: string,
  name: string,
): void {
  const was = states.get(id);
  if (!was || states.has(name)) return;
  states.delete(id);
  states.set(name, { ...was, id: name });
  graph.entries = graph.entries.map((entry) =>
    entry.state === id ? { ...entry, state: name } : entry,
  );
  const follow = (end: string) => (end === id ? name : end);
  for (const line of [...arrows.values()])
    if (line.source === id || line.target === id)
      replaceTransition(arrows, line.id, (old) => ({
        ...old,
        source: follow(old.source),
        target: follow(old.target),
      }));
}

/** True if the graph already contains this edit, because it was saved but its answer was lost. */
export function isAlreadyApplied(graph: GraphMaps, edit: Edit): boolean {
  switch (edit.type) {
    case "connect":
      return graph.transitions.has(transitionId(edit.source, edit.label, edit.target));
    case "disconnect":
      return !graph.transitions.has(edit.transition);
    case "retarget":
    case "relabel":
      return !graph.transitions.has(edit.transition);
    case "add_state":
      return graph.states.has(edit.id);
    case "duplicate_state":
      return graph.states.has(edit.new_id);
    case "remove_state":
      return !graph.states.has(edit.id);
    case "rename_state":
      return !graph.states.has(edit.id) && graph.states.has(edit.new_id);
    default:
      return false;
  }
}

/** The graph with the drawing among these edits, which their answer leaves out. */
export function withMoves(graph: GraphMaps, edits: readonly Edit[], change: Change): GraphMaps {
  if (change.rebased) return graph;
  return applyEdits(
    graph,
    edits.filter((edit) => edit.type === "move" || edit.type === "draw"),
  );
}

/** Apply the server's answer to the graph that it refers to. */
export function applyChange(graph: GraphMaps, change: Pick<Change, "graph">): GraphMaps {
  const graphChange = change.graph;
  if (!graphChange) return graph;
  const states = new Map(graph.states);
  const transitions = new Map(graph.transitions);
  for (const id of graphChange.states.gone) states.delete(id);
  const { prompt_users: users } = graphChange;
  if (Object.keys(users).length)
    for (const [id, state] of states) {
      const count = users[state.role];
      if (count !== undefined && state.prompt_users > 0 && state.prompt_users !== count)
        states.set(id, { ...state, prompt_users: count });
    }
  for (const state of graphChange.states.set) states.set(state.id, state);
  for (const id of graphChange.transitions.gone) transitions.delete(id);
  for (const line of graphChange.transitions.set) transitions.set(line.id, line);
  return {
    ...graph,
    states,
    transitions,
    entries: graphChange.entries ?? graph.entries,
    groups: graphChange.groups ?? graph.groups,
    name: graphChange.name ?? graph.name,
  };
}
