/**
 * Canvas levels. The pack's own canvas is level "". A state with `inside` opens another level,
 * whose name is an element (`composition:triage`) and whose states have ids like `triage/…`.
 */

import type { Entry, State } from "../api";
import { EMPTY_GRAPH } from "./state";
import type { GraphMaps, SessionState } from "./state";

export const TOP_LEVEL = "";

const graphsByLevel = new WeakMap<GraphMaps, Map<string, GraphMaps>>();

/**
 * The part of a graph that one level shows. Cached per graph; a graph with one level is returned as
 * it is.
 */
export function graphAtLevel(graph: GraphMaps, level: string): GraphMaps {
  const levels = levelsIn(graph);
  if (levels.size === 1 && levels.has(level)) return graph;
  const cached = graphsByLevel.get(graph) ?? new Map<string, GraphMaps>();
  graphsByLevel.set(graph, cached);
  const before = cached.get(level);
  if (before) return before;
  const filtered = filterByLevel(graph, level, levels);
  cached.set(level, filtered);
  return filtered;
}

function filterByLevel(graph: GraphMaps, level: string, levels: ReadonlySet<string>): GraphMaps {
  const states = new Map([...graph.states].filter(([, state]) => state.level === level));
  const at = (id: string) => graph.states.get(id)?.level ?? TOP_LEVEL;
  const of = (entry: Entry) => (levels.has(entry.key) ? entry.key : TOP_LEVEL);
  const framed = new Map([...graph.states.values()].map((state) => [state.group, state.level]));
  return {
    ...graph,
    states,
    transitions: new Map([...graph.transitions].filter(([, arrow]) => at(arrow.source) === level)),
    entries: graph.entries
      .filter((entry) => of(entry) === level)
      .map((entry) => withoutOwnKey(entry, level)),
    groups: graph.groups.filter((group) => (framed.get(group.id) ?? TOP_LEVEL) === level),
  };
}

/** An entry without its key if the key is the name of the level, which the canvas shows already. */
const withoutOwnKey = (entry: Entry, level: string): Entry =>
  level !== TOP_LEVEL && entry.key === level ? { ...entry, key: "" } : entry;

const levelsByStates = new WeakMap<ReadonlyMap<string, State>, ReadonlySet<string>>();

/** All levels on which states lie or that states open, always including the top level. */
export function levelsIn(graph: GraphMaps): ReadonlySet<string> {
  const before = levelsByStates.get(graph.states);
  if (before) return before;
  const levels = new Set([TOP_LEVEL]);
  for (const state of graph.states.values()) {
    levels.add(state.level);
    if (state.inside) levels.add(state.inside);
  }
  levelsByStates.set(graph.states, levels);
  return levels;
}

/** The level of a state or transition; null for other elements. */
export function levelOf(graph: GraphMaps, element: string): string | null {
  if (element.startsWith("state:")) return graph.states.get(element.slice(6))?.level ?? null;
  if (!element.startsWith("transition:")) return null;
  const arrow = graph.transitions.get(element.slice("transition:".length));
  return arrow ? (graph.states.get(arrow.source)?.level ?? TOP_LEVEL) : null;
}

/** The key in a level's name: `triage` in `composition:triage`. */
export const levelKey = (level: string): string => level.slice(level.indexOf(":") + 1);

/** The prefix of the ids of states on a level. */
export const idPrefix = (level: string): string =>
  level === TOP_LEVEL ? "" : `${levelKey(level)}/`;

/** A state's id without the prefix of its level. */
export const shortId = (id: string, level: string): string =>
  level !== TOP_LEVEL && id.startsWith(idPrefix(level)) ? id.slice(idPrefix(level).length) : id;

/** The level of a state id, which is the level with the longest matching prefix. */
export function levelForId(graph: GraphMaps, id: string): string {
  let best = TOP_LEVEL;
  for (const level of levelsIn(graph))
    if (level !== TOP_LEVEL && id.startsWith(idPrefix(level)) && level.length > best.length)
      best = level;
  return best;
}

/** True if a level can be shown: it has states, a state opens it, or the outline lists it. */
export function canOpenLevel(state: SessionState, level: string): boolean {
  if (levelsIn(state.fullGraph).has(level)) return true;
  const kinds = new Set(state.palette.map((item) => item.level).filter(Boolean));
  return (
    kinds.has(level.slice(0, level.indexOf(":"))) &&
    state.outline.some((section) => section.items.some((item) => item.element === level))
  );
}

const URL_PARAMETER = "level";
const STATE_PARAMETER = "state";

/** The level named in the page's URL. */
export const levelFromUrl = (): string =>
  typeof location === "undefined"
    ? TOP_LEVEL
    : (new URLSearchParams(location.search).get(URL_PARAMETER) ?? TOP_LEVEL);

/** The element of the state that the page's URL names; "" for none. */
export function stateFromUrl(): string {
  const id = new URLSearchParams(location.search).get(STATE_PARAMETER);
  return id ? `state:${id}` : "";
}

/** The page's URL with this level, and with a state of it or none. */
export function urlFor(level: string, element: string): string {
  const address = new URL(location.href);
  const set = (name: string, value: string) =>
    value ? address.searchParams.set(name, value) : address.searchParams.delete(name);
  set(URL_PARAMETER, level === TOP_LEVEL ? "" : level);
  set(STATE_PARAMETER, element.startsWith("state:") ? element.slice(6) : "");
  return `${address.pathname}${address.search}${address.hash}`;
}

/**
 * The full graph and the part on the shown level. Falls back to the top level if the level no
 * longer exists.
 */
export function graphsToShow(
  state: SessionState,
  fullGraph: GraphMaps,
): Pick<SessionState, "fullGraph" | "graph" | "level"> {
  const next = { ...state, fullGraph };
  const level =
    fullGraph === EMPTY_GRAPH || canOpenLevel(next, state.level) ? state.level : TOP_LEVEL;
  return { fullGraph, level, graph: graphAtLevel(fullGraph, level) };
}
