/** Nodes in the order a reader meets them: breadth first from the first, then what is left. */

import type { LayoutEdge, LayoutNode, LayoutTask } from "./shape";

export interface Walk {
  order: string[];
  /** Steps from the nearest start. */
  depth: Map<string, number>;
}

export function targetsOf(edges: LayoutEdge[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const edge of edges) {
    const list = targets.get(edge.source);
    if (list) list.push(edge.target);
    else targets.set(edge.source, [edge.target]);
  }
  return targets;
}

export function walk(task: LayoutTask): Walk {
  const known = new Set(task.nodes.map((node) => node.id));
  const edges = task.edges.filter((edge) => known.has(edge.target) && known.has(edge.source));
  const after = targetsOf(edges);
  const before = targetsOf(edges.map((edge) => ({ ...edge, source: edge.target, target: edge.source })));
  const found: Walk = { order: [], depth: new Map() };
  for (const node of startsFirst(task)) {
    if (found.depth.has(node.id)) continue;
    const from = found.order.length;
    place(found, node.id, 0);
    explore(found, from, after, new Map());
    explore(found, from, after, before);
  }
  return found;
}

function place({ order, depth }: Walk, id: string, at: number): void {
  depth.set(id, at);
  order.push(id);
}

type Links = ReadonlyMap<string, string[]>;

/** From everything placed since `from`: one step on for what follows, one step back for what only
 * leads here (no run reaches that, so it stands beside what it leads to). */
function explore(found: Walk, from: number, after: Links, before: Links): void {
  for (let index = from; index < found.order.length; index += 1) {
    const id = found.order[index] as string;
    const at = found.depth.get(id) as number;
    for (const next of after.get(id) ?? []) if (!found.depth.has(next)) place(found, next, at + 1);
    for (const previous of before.get(id) ?? [])
      if (!found.depth.has(previous)) place(found, previous, Math.max(0, at - 1));
  }
}

/** The given first node, then those nothing leads to, then the rest. */
function startsFirst(task: LayoutTask): LayoutNode[] {
  const entered = new Set(
    task.edges.filter((edge) => edge.source !== edge.target).map((edge) => edge.target),
  );
  const [first, ...rest] = task.nodes;
  if (!first) return [];
  return [
    first,
    ...rest.filter((node) => !entered.has(node.id)),
    ...rest.filter((node) => entered.has(node.id)),
  ];
}
