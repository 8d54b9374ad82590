/** The layout task of a graph: sizes of its cards and labels, its groups and entries. */

import type { GraphMaps, State, Transition } from "../../session";
import { arrowLabel } from "../scene/arrowLabel";
import { pillWidth, sizeOf, STUB } from "../scene/cardSizes";
import { entryId, entryTextWidth } from "../scene/entryMarks";
import { missingTargets } from "../scene/scene";
import type { LayoutArrow, LayoutTask } from "./layoutTask";

export function layoutTaskFor(graph: GraphMaps): LayoutTask {
  const entries = graph.entries.map((entry) => entry.state).filter((id) => graph.states.has(id));
  const order = new Set([...entries, ...graph.states.keys()]);
  const stubs = [...missingTargets(graph).keys()].map((id) => ({ id, ...STUB }));
  const cards = [...order].map((id) => {
    const state = graph.states.get(id) as State;
    return { id, ...sizeOf(state), group: state.group ?? undefined };
  });
  const arrows = [...graph.transitions.values()].map((arrow) => ({
    id: arrow.id,
    source: arrow.source,
    target: arrow.target,
    label: arrowLabel(arrow) ? pillWidth(arrowLabel(arrow)) : 0,
    stem: stemOf(arrow),
  }));
  const groups = graph.groups.map(({ id, parent }) => ({ id, parent: parent ?? null }));
  const marks = graph.entries.map((entry) => ({
    id: entryId(entry),
    state: entry.state,
    text: entryTextWidth(entry),
  }));
  return { cards: [...cards, ...stubs], arrows, groups, entries: marks };
}

/** Arrows of one choice or fork leave together; branches that meet in a join arrive together. */
function stemOf({ kind, event }: Transition): LayoutArrow["stem"] {
  if (kind === "conditional" || kind === "fork") return { end: "source", key: `${kind} ${event}` };
  return kind === "join" ? { end: "target", key: `${kind} ${event}` } : undefined;
}
