/**
 * Layout of small and middle graphs with the layered algorithm of elkjs. It places the states,
 * routes the arrows and reserves space for every label.
 */

import type { ElkNode, ElkExtendedEdge, ElkPort, LayoutOptions } from "elkjs/lib/elk-api";
import { union, type Point, type Rect } from "../scene/geometry";
import { rounded } from "../scene/plannedRoute";
import { PILL_HEIGHT } from "../scene/cardSizes";
import { ENTRY_DOT } from "../scene/entryMarks";
import { fitZoom } from "../view/fitZoom";
import { readingOrder } from "./readingOrder";
import type { Layout, LayoutArrow, LayoutEntry, LayoutTask } from "./layoutTask";

/** The part of elkjs that is used: in a worker on the page, in process in tests. */
export interface ElkEngine {
  layout(graph: ElkNode): Promise<ElkNode>;
}

export type Direction = "RIGHT" | "DOWN";

/** Both directions are tried up to this size, because a layout takes 0.3 seconds for 20 states. */
const MAX_COMPARED_STATES = 80;
/** Further variants are tried up to this size. */
const MAX_TIGHT_STATES = 20;
/** Right is how people read. It is kept where the whole graph fits at this zoom. */
const GOOD_ZOOM = 0.92;
const OPTIONS: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
  "elk.spacing.nodeNode": "36",
  "elk.spacing.edgeNode": "18",
  "elk.spacing.edgeEdge": "14",
  "elk.spacing.edgeLabel": "4",
  "elk.layered.spacing.nodeNodeBetweenLayers": "32",
  "elk.layered.spacing.edgeNodeBetweenLayers": "18",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "12",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.randomSeed": "1",
};
const FIRST_LAYER: LayoutOptions = { "elk.layered.layering.layerConstraint": "FIRST" };
/** Heights of an entry with a text, for each direction. */
const ENTRY_TEXT = { right: 36, down: 26 };
const GROUP_OPTIONS: LayoutOptions = { "elk.padding": "[top=44,left=22,bottom=22,right=22]" };

/** An empty id is the end of a run; elkjs needs one. */
const nodeOf = (id: string): string => `s${id}`;

interface Variant {
  direction: Direction;
  options: LayoutOptions;
  /** Tried for graphs of at most this many states. */
  most: number;
}

/** Less space between the layers. */
const TIGHT: LayoutOptions = {
  "elk.layered.spacing.nodeNodeBetweenLayers": "20",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
};
/** Less space between cards and arrows too, so that arrows that lead back need less width. */
const DENSE: LayoutOptions = {
  "elk.spacing.nodeNode": "24",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "10",
  "elk.layered.spacing.nodeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeNodeBetweenLayers": "10",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
};
/** Fewer arrows lead back, so that there are fewer layers. */
const FEW_BACK: LayoutOptions = { "elk.layered.cycleBreaking.strategy": "GREEDY" };

/**
 * The canvas of a window of 1440 × 900 with its panes. A layout depends on the graph only, so that it
 * is the same in every window.
 */
const CANVAS = { w: 900, h: 780 };
/** In this order until the graph is large enough in the canvas. */
const VARIANTS: Variant[] = [
  { direction: "RIGHT", options: {}, most: Infinity },
  { direction: "DOWN", options: {}, most: MAX_COMPARED_STATES },
  { direction: "DOWN", options: TIGHT, most: MAX_TIGHT_STATES },
  { direction: "RIGHT", options: TIGHT, most: MAX_TIGHT_STATES },
  { direction: "DOWN", options: { ...TIGHT, ...FEW_BACK }, most: MAX_TIGHT_STATES },
  { direction: "DOWN", options: DENSE, most: MAX_TIGHT_STATES },
  { direction: "DOWN", options: { ...DENSE, ...FEW_BACK }, most: MAX_TIGHT_STATES },
];

export async function layoutWithElk(elk: ElkEngine, task: LayoutTask): Promise<Layout> {
  let best: Layout | null = null;
  let largest = 0;
  for (const { direction, options, most } of VARIANTS) {
    if (best && task.cards.length > most) break;
    const layout = await layoutInDirection(elk, task, direction, options);
    const zoom = zoomOf(layout, task);
    if (zoom > largest || !best) [best, largest] = [layout, zoom];
    if (largest >= GOOD_ZOOM) break;
  }
  return best as Layout;
}

function zoomOf(layout: Layout, task: LayoutTask): number {
  const sizes = new Map(task.cards.map((card) => [card.id, card]));
  const cards = [...layout.positions].map(([id, at]): Rect => {
    const { w, h } = sizes.get(id) ?? { w: 0, h: 0 };
    return { ...at, w, h };
  });
  const lines = [...layout.routes.values()].flatMap((route) => route.points.map(asRect));
  const bounds = union([...cards, ...lines]);
  return bounds ? Math.min(1, fitZoom(bounds, CANVAS)) : 1;
}

const asRect = (point: Point): Rect => ({ ...point, w: 0, h: 0 });

export async function layoutInDirection(
  elk: ElkEngine,
  task: LayoutTask,
  direction: Direction,
  options: LayoutOptions = {},
): Promise<Layout> {
  const graph = elkGraph(task, direction);
  Object.assign(graph.layoutOptions ?? {}, options);
  return readLayout(await elk.layout(graph), task, direction);
}

function elkGraph(task: LayoutTask, direction: Direction): ElkNode {
  const ids = new Set(task.cards.map((card) => card.id));
  const arrows = task.arrows.filter((arrow) => ids.has(arrow.source) && ids.has(arrow.target));
  const cards = new Map(task.cards.map((card) => [card.id, card]));
  const entries = (task.entries ?? []).filter((entry) => ids.has(entry.state));
  const firstCard = entries.length ? undefined : task.cards[0]?.id;
  const root: ElkNode = {
    id: "root",
    layoutOptions: { ...OPTIONS, "elk.direction": direction },
    children: entries.map((entry) => entryNode(entry, direction)),
    edges: [...entries.map(entryEdge), ...arrows.map(elkEdge)],
  };
  const parents = groupNodes(task, root);
  for (const id of readingOrder(task).order) {
    const card = cards.get(id);
    if (!card) continue;
    const parent = parents.get(card.group ?? "") ?? root;
    const first = id === firstCard && parent === root;
    parent.children?.push({
      id: nodeOf(id),
      width: card.w,
      height: card.h,
      ports: stemPorts(id, arrows),
      layoutOptions: first ? FIRST_LAYER : {},
    });
  }
  return root;
}

/** The dot is in the middle of the side where the line leaves; the text is above it. */
function entryNode({ id, text }: LayoutEntry, direction: Direction): ElkNode {
  const height = direction === "RIGHT" ? ENTRY_TEXT.right : ENTRY_TEXT.down;
  return {
    id: `n${id}`,
    width: Math.max(2 * ENTRY_DOT, text),
    height: text ? height : 2 * ENTRY_DOT,
    layoutOptions: FIRST_LAYER,
  };
}

const entryEdge = ({ id, state }: LayoutEntry): ElkExtendedEdge => ({
  id: `m${id}`,
  sources: [`n${id}`],
  targets: [nodeOf(state)],
});

/** One node for each group that has a member, inside the node of its parent. */
function groupNodes(task: LayoutTask, root: ElkNode): Map<string, ElkNode> {
  const groups = new Map((task.groups ?? []).map((group) => [group.id, group]));
  const used = new Set<string>();
  for (const card of task.cards)
    for (let id = card.group; id && groups.has(id) && !used.has(id);)
      id = groups.get(used.add(id) && id)?.parent ?? undefined;
  const nodes = new Map<string, ElkNode>();
  for (const id of used)
    nodes.set(id, { id: `g${id}`, children: [], layoutOptions: GROUP_OPTIONS });
  for (const [id, node] of nodes) {
    const parent = nodes.get(groups.get(id)?.parent ?? "");
    (parent && !isInside(groups, groups.get(id)?.parent, id) ? parent : root).children?.push(node);
  }
  return nodes;
}

/** True if the groups above `from` lead back to `id`, which only a broken file has. */
function isInside(
  groups: ReadonlyMap<string, { parent: string | null }>,
  from: string | null | undefined,
  id: string,
): boolean {
  for (let depth = 0; from && depth < groups.size; depth += 1) {
    if (from === id) return true;
    from = groups.get(from)?.parent;
  }
  return false;
}

const portOf = ({ source, target, stem }: LayoutArrow): string =>
  stem ? `p${stem.end}|${stem.end === "source" ? source : target}|${stem.key}` : "";

function stemPorts(id: string, arrows: LayoutArrow[]): ElkPort[] {
  const ports = new Set(
    arrows.flatMap((arrow) =>
      arrow.stem && arrow[arrow.stem.end] === id && arrow.source !== arrow.target
        ? [portOf(arrow)]
        : [],
    ),
  );
  return [...ports].map((port) => ({ id: port, width: 0, height: 0 }));
}

function elkEdge(arrow: LayoutArrow): ElkExtendedEdge {
  const port = arrow.source !== arrow.target && arrow.stem ? portOf(arrow) : null;
  const end = (side: "source" | "target") =>
    port !== null && arrow.stem?.end === side ? port : nodeOf(arrow[side]);
  const label = {
    text: arrow.id,
    width: arrow.label,
    height: PILL_HEIGHT + 4,
    layoutOptions: { "elk.edgeLabels.inline": "true", "elk.edgeLabels.placement": "CENTER" },
  };
  return {
    id: `e${arrow.id}`,
    sources: [end("source")],
    targets: [end("target")],
    labels: arrow.label ? [label] : [],
  };
}

function readLayout(root: ElkNode, task: LayoutTask, direction: Direction): Layout {
  const layout: Layout = { positions: new Map(), routes: new Map() };
  const visit = (node: ElkNode) => {
    if (node.id.startsWith("s") && node !== root)
      layout.positions.set(node.id.slice(1), {
        x: Math.round(node.x ?? 0),
        y: Math.round(node.y ?? 0),
      });
    for (const child of node.children ?? []) visit(child);
  };
  for (const node of root.children ?? []) visit(node);
  const cards = new Map(task.cards.map((card) => [card.id, card]));
  const rect = (id: string): Rect => {
    const { w, h } = cards.get(id) ?? { w: 0, h: 0 };
    return { ...(layout.positions.get(id) as Point), w, h };
  };
  const arrows = new Map(task.arrows.map((arrow) => [`e${arrow.id}`, arrow]));
  const entries = new Map((task.entries ?? []).map((entry) => [`m${entry.id}`, entry]));
  for (const edge of allEdges(root)) {
    const section = edge.sections?.[0];
    if (!section) continue;
    const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(
      rounded,
    );
    const entry = entries.get(edge.id);
    if (entry) {
      const card = rect(entry.state);
      const line = fromDot(points, direction);
      layout.routes.set(entry.id, { points: line, label: null, source: card, target: card });
    }
    const arrow = arrows.get(edge.id);
    if (!arrow) continue;
    layout.routes.set(arrow.id, {
      points,
      label: labelCentre(edge),
      source: rect(arrow.source),
      target: rect(arrow.target),
    });
  }
  return layout;
}

/** The line of an entry starts in the middle of its dot. */
function fromDot([start, ...rest]: Point[], direction: Direction): Point[] {
  const { x, y } = start as Point;
  const dot = direction === "RIGHT" ? { x: x - ENTRY_DOT, y } : { x, y: y - ENTRY_DOT };
  return [dot, ...rest];
}

function allEdges(node: ElkNode): ElkExtendedEdge[] {
  return [...(node.edges ?? []), ...(node.children ?? []).flatMap(allEdges)];
}

function labelCentre(edge: ElkExtendedEdge): Point | null {
  const label = edge.labels?.[0];
  if (!label) return null;
  return rounded({
    x: (label.x ?? 0) + (label.width ?? 0) / 2,
    y: (label.y ?? 0) + (label.height ?? 0) / 2,
  });
}
