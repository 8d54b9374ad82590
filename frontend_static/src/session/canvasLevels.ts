/**
 * Canvas levels. A pack's own canvas is level "". A box with `inside` opens another one, named like
 * the element that is drawn there (`composition:triage`); its boxes are called `triage/…`.
 */

import type { Entry, State } from "../api";
import { EMPTY_GRAPH } from "./state";
import type { GraphMaps, SessionState } from "./state";

export const FIRST = "";

const known = new WeakMap<GraphMaps, Map<string, GraphMaps>>();

/** What one level shows of a graph: the same object for the same graph, and the graph itself where
 * it has one level only. */
export function onLevel(graph: GraphMaps, level: string): GraphMaps {
  const levels = levelsIn(graph);
  if (levels.size === 1 && levels.has(level)) return graph;
  const made = known.get(graph) ?? new Map<string, GraphMaps>();
  known.set(graph, made);
  const before = made.get(level);
  if (before) return before;
  const shown = filtered(graph, level, levels);
  made.set(level, shown);
  return shown;
}

function filtered(graph: GraphMaps, level: string, levels: ReadonlySet<string>): GraphMaps {
  const states = new Map([...graph.states].filter(([, state]) => state.level === level));
  const at = (id: string) => graph.states.get(id)?.level ?? FIRST;
  const of = (entry: Entry) => (levels.has(entry.key) ? entry.key : FIRST);
  const framed = new Map([...graph.states.values()].map((state) => [state.group, state.level]));
  return {
    ...graph,
    states,
    transitions: new Map([...graph.transitions].filter(([, arrow]) => at(arrow.source) === level)),
    entries: graph.entries.filter((entry) => of(entry) === level).map((entry) => named(entry, level)),
    groups: graph.groups.filter((group) => (framed.get(group.id) ?? FIRST) === level),
  };
}

/** The name of its own level says nothing beside an entry. */
const named = (entry: Entry, level: string): Entry =>
  level !== FIRST && entry.key === level ? { ...entry, key: "" } : entry;

const found = new WeakMap<ReadonlyMap<string, State>, ReadonlySet<string>>();

/** The levels that boxes stand on or open, the first one always among them. */
export function levelsIn(graph: GraphMaps): ReadonlySet<string> {
  const before = found.get(graph.states);
  if (before) return before;
  const levels = new Set([FIRST]);
  for (const state of graph.states.values()) {
    levels.add(state.level);
    if (state.inside) levels.add(state.inside);
  }
  found.set(graph.states, levels);
  return levels;
}

/** The level of what an element names; null for what stands on no canvas. */
export function levelOf(graph: GraphMaps, element: string): string | null {
  if (element.startsWith("state:")) return graph.states.get(element.slice(6))?.level ?? null;
  if (!element.startsWith("transition:")) return null;
  const arrow = graph.transitions.get(element.slice("transition:".length));
  return arrow ? (graph.states.get(arrow.source)?.level ?? FIRST) : null;
}

/** What is drawn on a level, by its own name: `triage` of `composition:triage`. */
export const keyOf = (level: string): string => level.slice(level.indexOf(":") + 1);

/** What ids of boxes on a level begin with. */
export const prefixOf = (level: string): string => (level === FIRST ? "" : `${keyOf(level)}/`);

/** A box's id as it is called on its own level. */
export const shortId = (id: string, level: string): string =>
  level !== FIRST && id.startsWith(prefixOf(level)) ? id.slice(prefixOf(level).length) : id;

/** The level that a box with this id belongs to: the one whose prefix it has. */
export function levelFor(graph: GraphMaps, id: string): string {
  let best = FIRST;
  for (const level of levelsIn(graph))
    if (level !== FIRST && id.startsWith(prefixOf(level)) && level.length > best.length) best = level;
  return best;
}

/** Whether a level can be shown: boxes stand on it or open it, or the outline names it. */
export function canOpen(state: SessionState, level: string): boolean {
  if (levelsIn(state.whole).has(level)) return true;
  const kinds = new Set(state.palette.map((item) => item.level).filter(Boolean));
  return (
    kinds.has(level.slice(0, level.indexOf(":"))) &&
    state.outline.some((section) => section.items.some((item) => item.element === level))
  );
}

const PARAMETER = "level";

/** The level that the page's address names. */
export const levelInAddress = (): string =>
  typeof location === "undefined" ? FIRST : (new URLSearchParams(location.search).get(PARAMETER) ?? FIRST);

/** The page's address with this level in it. */
export function addressOf(level: string): string {
  const address = new URL(location.href);
  if (level === FIRST) address.searchParams.delete(PARAMETER);
  else address.searchParams.set(PARAMETER, level);
  return `${address.pathname}${address.search}${address.hash}`;
}

/** The painted graph and what of it is shown: nothing but the first level where a level is gone. */
export function shownOf(state: SessionState, whole: GraphMaps): Pick<SessionState, "whole" | "graph" | "level"> {
  const next = { ...state, whole };
  const level = whole === EMPTY_GRAPH || canOpen(next, state.level) ? state.level : FIRST;
  return { whole, level, graph: onLevel(whole, level) };
}
