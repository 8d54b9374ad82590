/**
 * Routes of arrows, computed on demand. Each arrow gets a plan, then a slot on each side of its
 * cards (ordered by destination to avoid crossings), then the exact line.
 */

import type { Transition } from "../../session";
import type { Card } from "./card";
import { laneShift } from "./lanes";
import { curve, polyline, type Route } from "./arrowPath";
import { aheadCurve, planRoute, type RoutePlan } from "./routePlan";
import { bottom, middle, right, type Point } from "./geometry";
import type { PlannedRoute } from "./plannedRoute";
import { isRouted, OrthogonalRoutes, type RouterInput } from "./orthogonalRoutes";
import { sharesSlot } from "./sharedStems";

type Side = "right" | "bottom" | "left" | "top";
const SLOT_GAP = 16;
const PILL_GAP = 22;
const STEM_LENGTH = 26;

export class Router {
  private readonly plans = new Map<string, RoutePlan>();
  private readonly slots = new Map<string, Map<string, number>>();
  private readonly routes = new Map<string, Route>();

  private readonly orthogonal: OrthogonalRoutes;
  /** While cards are dragged, their arrows are curves, which cost less than a search. */
  private dragging = false;
  /** The arrows that were drawn as curves during the drag. */
  private readonly draggedIds = new Set<string>();

  constructor(private readonly input: RouterInput) {
    this.orthogonal = new OrthogonalRoutes(input, this.routes);
  }

  clear(): void {
    this.plans.clear();
    this.slots.clear();
    this.routes.clear();
  }

  private dropRoute(id: string): void {
    this.routes.delete(id);
  }

  /** Take over the routes of a layout, each for as long as it holds. */
  setPlanned(planned: ReadonlyMap<string, PlannedRoute>): void {
    this.clear();
    this.orthogonal.setPlanned(planned);
  }

  get plannedRoutes(): ReadonlyMap<string, PlannedRoute> {
    return this.orthogonal.plannedRoutes;
  }

  /** Take over a stored route, which holds. */
  store(id: string, plan: PlannedRoute): void {
    this.orthogonal.store(id, plan);
    this.dropRoute(id);
  }

  /** Arrows have new ids (old → new) and keep their routes. */
  renamePlanned(renamed: ReadonlyMap<string, string>): void {
    this.orthogonal.rename(renamed);
  }

  setDragging(dragging: boolean): void {
    this.dragging = dragging;
    if (dragging) return;
    this.orthogonal.allowSearch();
    for (const id of this.draggedIds) this.dropRoute(id);
    this.draggedIds.clear();
  }

  /**
   * A state moved, appeared or disappeared: drop the routes of its arrows and of those that share a
   * side with them.
   */
  invalidateState(state: string): void {
    if (!this.plans.size && !this.routes.size) return;
    const states = new Set([state]);
    for (const id of this.input.touching(state)) {
      this.plans.delete(id);
      const arrow = this.input.arrow(id);
      if (arrow) states.add(arrow.source).add(arrow.target);
    }
    for (const other of states) {
      this.slots.delete(other);
      for (const id of this.input.touching(other)) this.dropRoute(id);
    }
  }

  /** The surroundings of an arrow changed: drop its plan and its slots at both ends. */
  replan(arrow: Transition): void {
    this.dropRoute(arrow.id);
    if (!this.plans.delete(arrow.id)) return;
    for (const end of [arrow.source, arrow.target]) {
      this.slots.delete(end);
      for (const id of this.input.touching(end)) this.dropRoute(id);
    }
  }

  removeArrow(id: string): void {
    this.plans.delete(id);
    this.dropRoute(id);
  }

  /** undefined if one of its ends is not on the canvas. */
  route(id: string): Route | undefined {
    const cached = this.routes.get(id);
    if (cached) return cached;
    const arrow = this.input.arrow(id);
    const source = arrow && this.input.card(arrow.source);
    const target = arrow && this.input.card(arrow.target);
    if (!arrow || !source || !target) return undefined;
    if (this.dragging) this.draggedIds.add(id);
    const planned = this.orthogonal.planned(arrow, source, target);
    if (!planned && this.searches()) return this.searchAll(id);
    const route = planned ?? this.draw(arrow, source, target);
    this.routes.set(id, route);
    return route;
  }

  private searches(): boolean {
    return !this.dragging && isRouted(this.input.cards.size, this.input.arrowCount());
  }

  /**
   * Search the routes of all arrows without one, in the order of the file, so that the drawing does
   * not depend on what is seen first. Returns the one of `wanted`.
   */
  private searchAll(wanted: string): Route | undefined {
    for (const arrow of this.input.arrows()) {
      const source = this.input.card(arrow.source);
      const target = this.input.card(arrow.target);
      if (!source || !target || this.routes.has(arrow.id)) continue;
      const route =
        this.orthogonal.planned(arrow, source, target) ??
        this.orthogonal.free(arrow, source, target) ??
        this.draw(arrow, source, target);
      this.routes.set(arrow.id, route);
    }
    return this.routes.get(wanted);
  }

  private plan(id: string): RoutePlan | undefined {
    const cached = this.plans.get(id);
    if (cached) return cached;
    const arrow = this.input.arrow(id);
    const source = arrow && this.input.card(arrow.source);
    const target = arrow && this.input.card(arrow.target);
    if (!source || !target) return undefined;
    const shift = () => laneShift(arrow.id, this.parallelIndex(arrow));
    const plan = planRoute(this.input.cards, source, target, shift);
    this.plans.set(id, plan);
    return plan;
  }

  private draw(arrow: Transition, source: Card, target: Card): Route {
    const plan = this.plan(arrow.id) as RoutePlan;
    switch (plan.way) {
      case "loop":
        return loopRoute(source, this.parallelIndex(arrow));
      case "ahead":
        return this.aheadRoute(arrow, source, target);
      case "below":
        return belowRoute(
          this.endPoint(arrow, source, "bottom"),
          this.endPoint(arrow, target, "top"),
        );
      case "lane":
        return this.laneRoute(arrow, source, target, plan);
    }
  }

  private aheadRoute(arrow: Transition, source: Card, target: Card): Route {
    const stem = this.endPoint(arrow, source, "right");
    const tip = this.endPoint(arrow, target, "left");
    const wide = tip.x - stem.x > 2 * STEM_LENGTH;
    const from = wide && sharesSlot(arrow, "right") ? stem : undefined;
    const to = wide && sharesSlot(arrow, "left") ? tip : undefined;
    const start = from ? { x: stem.x + STEM_LENGTH, y: stem.y } : stem;
    const end = to ? { x: tip.x - STEM_LENGTH, y: tip.y } : tip;
    const bulge = from || to ? 0 : this.bulge(arrow, source);
    const [one, two] = aheadCurve(start, end);
    const [first, second] = [
      { x: one.x, y: one.y + bulge },
      { x: two.x, y: two.y + bulge },
    ];
    return curve(start, first, second, end, 0, { from, to });
  }

  private laneRoute(
    arrow: Transition,
    source: Card,
    target: Card,
    plan: RoutePlan & { way: "lane" },
  ): Route {
    const start = this.endPoint(arrow, source, plan.exit);
    const tip = this.endPoint(arrow, target, plan.enter);
    const { y } = plan;
    const out = start.x + 16 + Math.abs(start.y - middle(source).y) / 3;
    const into = tip.x - 18 - Math.abs(tip.y - middle(target).y) / 3;
    const first =
      plan.exit === "right"
        ? [
            { x: out, y: start.y },
            { x: out, y },
          ]
        : [{ x: start.x, y }];
    const last =
      plan.enter === "left"
        ? [
            { x: into, y },
            { x: into, y: tip.y },
          ]
        : [{ x: tip.x, y }];
    const a = first.at(-1) as Point;
    const b = last[0] as Point;
    const label = { x: (a.x + b.x) / 2, y };
    return polyline([start, ...first, ...last, tip], plan.enter === "left" ? 0 : 90, label);
  }

  /** The offset of a parallel arrow's bend, so that the labels of its siblings do not overlap. */
  private bulge(arrow: Transition, source: Card): number {
    const between = this.parallel(arrow);
    if (between.length < 2) return 0;
    const gap = (PILL_GAP - 0.25 * Math.min(SLOT_GAP, spacing(between.length, source.h))) / 0.75;
    return (between.indexOf(arrow.id) - (between.length - 1) / 2) * (gap - 4);
  }

  private parallel(arrow: Transition): string[] {
    const ids: string[] = [];
    for (const id of this.input.touching(arrow.source)) {
      const other = this.input.arrow(id);
      if (other?.source === arrow.source && other.target === arrow.target) ids.push(id);
    }
    return ids.sort();
  }

  private parallelIndex(arrow: Transition): number {
    return this.parallel(arrow).indexOf(arrow.id);
  }

  /** The point where an arrow touches this side of a card. */
  private endPoint(arrow: Transition, card: Card, side: Side): Point {
    const offset = this.offsets(card).get(`${side}/${slotKey(arrow, side)}`) ?? 0;
    const center = middle(card);
    if (side === "right") return { x: right(card), y: center.y + offset };
    if (side === "left") return { x: card.x, y: center.y + offset };
    if (side === "bottom") return { x: center.x + offset, y: bottom(card) };
    return { x: center.x + offset, y: card.y };
  }

  private offsets(card: Card): Map<string, number> {
    const cached = this.slots.get(card.id);
    if (cached) return cached;
    const sides: Record<Side, Map<string, number>> = {
      right: new Map(),
      bottom: new Map(),
      left: new Map(),
      top: new Map(),
    };
    for (const id of this.input.touching(card.id)) {
      const arrow = this.input.arrow(id);
      if (arrow) this.claimSlot(arrow, card, sides);
    }
    const offsets = new Map<string, number>();
    for (const side of Object.keys(sides) as Side[])
      assignOffsets(side, sides[side], card, offsets);
    this.slots.set(card.id, offsets);
    return offsets;
  }

  /** Claim a slot on the side that this arrow uses. The number is the position of its other end. */
  private claimSlot(arrow: Transition, card: Card, sides: Record<Side, Map<string, number>>): void {
    const plan = this.plan(arrow.id);
    if (!plan || plan.way === "loop") return;
    const leaves = arrow.source === card.id;
    const other = this.input.card(leaves ? arrow.target : arrow.source);
    if (!other) return;
    const exit = plan.way === "lane" ? plan.exit : plan.way === "below" ? "bottom" : "right";
    const enter = plan.way === "lane" ? plan.enter : plan.way === "below" ? "top" : "left";
    const side: Side = leaves ? exit : enter;
    const center = middle(other);
    const upright = side === "right" || side === "left";
    const wanted = upright ? (plan.way === "lane" ? plan.y : center.y) : center.x;
    sides[side].set(slotKey(arrow, side), wanted);
  }
}

const slotKey = (arrow: Transition, side: Side): string =>
  sharesSlot(arrow, side) ? `?${arrow.kind} ${arrow.event}` : arrow.id;

const spacing = (count: number, length: number): number =>
  count < 2 ? 0 : Math.min(SLOT_GAP, (length - 20) / (count - 1));

function assignOffsets(
  side: Side,
  claims: Map<string, number>,
  card: Card,
  offsets: Map<string, number>,
): void {
  const upright = side === "right" || side === "left";
  const gap = spacing(claims.size, upright ? card.h : card.w);
  const order = [...claims].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1));
  order.forEach(([key], index) => {
    offsets.set(`${side}/${key}`, (index - (order.length - 1) / 2) * gap);
  });
}

function loopRoute(card: Card, nth: number): Route {
  const x = middle(card).x;
  const reach = 30 + 9 * nth;
  const height = (30 + PILL_GAP * nth) * 1.34;
  const start = { x: x + reach, y: card.y };
  const tip = { x: x - reach, y: card.y };
  const one = { x: start.x + 18, y: card.y - height };
  const two = { x: tip.x - 18, y: card.y - height };
  return curve(start, one, two, tip, 90);
}

function belowRoute(start: Point, tip: Point): Route {
  const reach = Math.max(20, Math.min(80, (tip.y - start.y) / 2));
  const one = { x: start.x, y: start.y + reach };
  const two = { x: tip.x, y: tip.y - reach };
  return curve(start, one, two, tip, 90);
}
