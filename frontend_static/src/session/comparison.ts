/** The difference of two versions as one graph: the newer one, with what only the older one has. */

import { packs, type Diff, type ReviewedProposal } from "../api";
import { confirmedGraph, openPackId, publishGraph, store } from "./confirmedGraph";
import { notifyError } from "./notices";
import { applyChange } from "./optimisticEdits";
import {
  findingsByElement,
  toGraphMaps,
  type Comparison,
  type DiffMark,
  type FieldChange,
  type GraphMaps,
} from "./state";

type Changes = Pick<Diff, "states" | "transitions">;

let request = 0;

/** Show the difference of two revisions on the canvas. */
export async function compareRevisions(from: number, to: number, diff: Diff): Promise<void> {
  const mine = ++request;
  try {
    const id = openPackId();
    const [older, newer] = await Promise.all([packs.graph(id, from), packs.graph(id, to)]);
    if (mine !== request) return;
    const comparison = comparisonOf(toGraphMaps(older), toGraphMaps(newer), diff);
    store.setState({ comparison, selection: new Set() });
    publishGraph();
  } catch (error) {
    notifyError(store, error);
  }
}

/** Show a proposal for the shown revision as ghosts over it. */
export function compareProposal(review: ReviewedProposal): void {
  request += 1;
  const comparison = proposedComparison(confirmedGraph(), review);
  store.setState({ comparison });
  publishGraph();
}

/** A proposal as a comparison with the graph that it changes; null without a drawing. */
export function proposedComparison(before: GraphMaps, review: ReviewedProposal): Comparison | null {
  const { consequences, graph } = review;
  const found = consequences?.difference as unknown as
    (Changes & { elements: { element: string; fields: FieldChange[] }[] }) | null | undefined;
  if (!consequences || !found || !graph) return null;
  return {
    ...comparisonOf(before, applyChange(before, { graph }), found),
    proposed: {
      findings: findingsByElement([...consequences.findings_new]),
      fields: new Map(found.elements.map((one) => [one.element, one.fields])),
      takenBy: new Map(
        consequences.removed_taken.map(({ transition, run, n }) => [
          `transition:${transition}`,
          { run, n },
        ]),
      ),
    },
  };
}

/** Show the newest revision again. */
export function endComparison(): void {
  request += 1;
  if (!store.getState().comparison) return;
  store.setState({ comparison: null });
  publishGraph();
}

function comparisonOf(before: GraphMaps, graph: GraphMaps, diff: Changes): Comparison {
  const states = new Map(graph.states);
  const transitions = new Map(graph.transitions);
  const marks = new Map<string, DiffMark>();
  const was = new Map<string, string>();
  const newNames = new Map(diff.states.renamed.map((one) => [one.was, one.now]));
  for (const kind of ["state", "transition"] as const) {
    const sets = diff[`${kind}s`];
    for (const id of sets.changed) marks.set(`${kind}:${id}`, "changed");
    for (const id of sets.added) marks.set(`${kind}:${id}`, "added");
    for (const one of sets.renamed) {
      marks.set(`${kind}:${one.now}`, "renamed");
      was.set(`${kind}:${one.now}`, kind === "state" ? one.was : labelOf(one.was));
    }
  }
  for (const id of diff.states.removed) {
    const state = before.states.get(id);
    if (!state || states.has(id)) continue;
    states.set(id, state);
    marks.set(`state:${id}`, "removed");
  }
  for (const id of diff.transitions.removed) {
    const arrow = before.transitions.get(id);
    if (!arrow) continue;
    const source = newNames.get(arrow.source) ?? arrow.source;
    const target = newNames.get(arrow.target) ?? arrow.target;
    const follows = `${source}|${arrow.label}|${target}`;
    // An arrow that only follows a renamed state is the same arrow.
    if (follows !== id && transitions.has(follows)) {
      if (marks.get(`transition:${follows}`) === "added") marks.delete(`transition:${follows}`);
      continue;
    }
    if (!states.has(source) || transitions.has(follows)) continue;
    transitions.set(follows, { ...arrow, id: follows, source, target });
    const route = before.states.get(arrow.source)?.routes?.[id];
    const owner = states.get(source);
    if (route && owner)
      states.set(source, { ...owner, routes: { ...owner.routes, [follows]: route } });
    marks.set(`transition:${follows}`, "removed");
  }
  return {
    graph: { ...graph, states, transitions },
    marks,
    was,
  };
}

const labelOf = (id: string): string => id.split("|").slice(1, -1).join("|");
