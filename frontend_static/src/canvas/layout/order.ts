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
  const targets = targetsOf(task.edges.filter((edge) => known.has(edge.target)));
  const depth = new Map<string, number>();
  const order: string[] = [];
  const visit = (root: string) => {
    if (depth.has(root)) return;
    depth.set(root, before(targets.get(root) ?? [], depth));
    const queue = [root];
    for (let index = 0; index < queue.length; index += 1) {
      const id = queue[index] as string;
      order.push(id);
      for (const next of targets.get(id) ?? []) {
        if (depth.has(next)) continue;
        depth.set(next, (depth.get(id) as number) + 1);
        queue.push(next);
      }
    }
  };
  for (const node of startsFirst(task)) visit(node.id);
  return { order, depth };
}

/** One step before the first of these that is placed: what nothing leads to stands by what it leads to. */
function before(targets: string[], depth: ReadonlyMap<string, number>): number {
  const known = targets.flatMap((id) => depth.get(id) ?? []);
  return known.length ? Math.max(0, Math.min(...known) - 1) : 0;
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
