/**
 * Canvas levels. A pack's own canvas is level "". A box with `inside` opens another one, named like
 * the element that is drawn there (`composition:triage`); its boxes are called `triage/…`.
 */

import type { Entry, State } from "../api";
import { EMPTY_GRAPH } from "./state";
import type { GraphMaps, SessionState } from "./state";

export const TOP_LEVEL = "";

const graphsByLevel = new WeakMap<GraphMaps, Map<string, GraphMaps>>();

/** What one level shows of a graph: the same object for the same graph, and the graph itself where
 * it has one level only. */
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

/** The name of its own level says nothing beside an entry. */
const withoutOwnKey = (entry: Entry, level: string): Entry =>
  level !== TOP_LEVEL && entry.key === level ? { ...entry, key: "" } : entry;

const levelsByStates = new WeakMap<ReadonlyMap<string, State>, ReadonlySet<string>>();

/** The levels that boxes stand on or open, the first one always among them. */
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

/** The level of what an element names; null for what stands on no canvas. */
export function levelOf(graph: GraphMaps, element: string): string | null {
  if (element.startsWith("state:")) return graph.states.get(element.slice(6))?.level ?? null;
  if (!element.startsWith("transition:")) return null;
  const arrow = graph.transitions.get(element.slice("transition:".length));
  return arrow ? (graph.states.get(arrow.source)?.level ?? TOP_LEVEL) : null;
}

/** What is drawn on a level, by its own name: `triage` of `composition:triage`. */
export const levelKey = (level: string): string => level.slice(level.indexOf(":") + 1);

/** What ids of boxes on a level begin with. */
export const idPrefix = (level: string): string =>
  level === TOP_LEVEL ? "" : `${levelKey(level)}/`;

/** A box's id as it is called on its own level. */
export const shortId = (id: string, level: string): string =>
  level !== TOP_LEVEL && id.startsWith(idPrefix(level)) ? id.slice(idPrefix(level).length) : id;

/** The level that a box with this id belongs to: the one whose prefix it has. */
export function levelForId(graph: GraphMaps, id: string): string {
  let best = TOP_LEVEL;
  for (const level of levelsIn(graph))
    if (level !== TOP_LEVEL && id.startsWith(idPrefix(level)) && level.length > best.length)
      best = level;
  return best;
}

/** Whether a level can be shown: boxes stand on it or open it, or the outline names it. */
export function canOpenLevel(state: SessionState, level: string): boolean {
  if (levelsIn(state.fullGraph).has(level)) return true;
  const kinds = new Set(state.palette.map((item) => item.level).filter(Boolean));
  return (
    kinds.has(level.slice(0, level.indexOf(":"))) &&
    state.outline.some((section) => section.items.some((item) => item.element === level))
  );
}

const URL_PARAMETER = "level";

/** The level that the page's address names. */
export const levelFromUrl = (): string =>
  typeof location === "undefined"
    ? TOP_LEVEL
    : (new URLSearchParams(location.search).get(URL_PARAMETER) ?? TOP_LEVEL);

/** The page's address with this level in it. */
export function urlForLevel(level: string): string {
  const address = new URL(location.href);
  if (level === TOP_LEVEL) address.searchParams.delete(URL_PARAMETER);
  else address.searchParams.set(URL_PARAMETER, level);
  return `${address.pathname}${address.search}${address.hash}`;
}

/** The painted graph and what of it is shown: nothing but the first level where a level is gone. */
export function graphsToShow(
  state: SessionState,
  fullGraph: GraphMaps,
): Pick<SessionState, "fullGraph" | "graph" | "level"> {
  const next = { ...state, fullGraph };
  const level =
    fullGraph === EMPTY_GRAPH || canOpenLevel(next, state.level) ? state.level : TOP_LEVEL;
  return { fullGraph, level, graph: graphAtLevel(fullGraph, level) };
}
