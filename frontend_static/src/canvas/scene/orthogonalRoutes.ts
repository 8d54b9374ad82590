/**
 * Orthogonal routes of small and middle graphs: those of the layout, and searched ones for arrows
 * that are new or whose cards were moved.
 */

import type { Transition } from "../../session";
import type { PlannedRoute } from "../layout/layoutTask";
import { arrowLabel } from "./arrowLabel";
import { headAngle, polyline, type Route } from "./arrowPath";
import type { Card } from "./card";
import { pillWidth } from "./cardSizes";
import { freeRoute } from "./freeRoutes";
import { linesOf, segmentRect, type Field, type Line } from "./freeRoutes/field";
import { labelRect, labelPlace } from "./freeRoutes/labelPlace";
import { overlaps, sameRect, type Point, type Rect } from "./geometry";
import type { GridIndex } from "./gridIndex";
import { stemEnd } from "./sharedStems";

export interface RouterInput {
  card(id: string): Card | undefined;
  arrow(id: string): Transition | undefined;
  /** Ids of the arrows that start or end at a state. */
  touching(state: string): Iterable<string>;
  arrows(): Iterable<Transition>;
  cards: GridIndex;
  /** Drawings besides the cards that no line may cross. */
  marks(): Iterable<Rect>;
}

/** The bar or dot of a shared stem, in front of a card. */
const STEM_MARK = 12;
/** Arrows that are searched at most. More would block the page; the others are curves. */
const MOST_FREE_ROUTES = 60;

type Drawn = { points: Point[]; label: Point | null };

export class OrthogonalRoutes {
  private plans: ReadonlyMap<string, PlannedRoute> = new Map();

  get plannedRoutes(): ReadonlyMap<string, PlannedRoute> {
    return this.plans;
  }

  /** Arrows with another label than the one that their route was planned for. */
  private relabelled = new Set<string>();
  private readonly freeIds = new Set<string>();

  /** `drawn`: the routes that the router has drawn. */
  constructor(
    private readonly input: RouterInput,
    private readonly drawn: ReadonlyMap<string, Route>,
  ) {}

  setPlanned(plans: ReadonlyMap<string, PlannedRoute>): void {
    this.plans = plans;
    this.relabelled.clear();
  }

  clear(): void {
    this.freeIds.clear();
  }

  drop(id: string): void {
    this.freeIds.delete(id);
  }

  /** Arrows have new ids (old → new) and keep their routes. */
  rename(renamed: ReadonlyMap<string, string>): void {
    const plans = new Map(this.plans);
    for (const [id, next] of renamed) {
      const plan = this.plans.get(id);
      if (plan) plans.set(next, plan);
      if (plan) this.relabelled.add(next);
    }
    for (const id of renamed.keys()) if (plans.get(id) === this.plans.get(id)) plans.delete(id);
    this.plans = plans;
  }

  /** The route of the layout, if both cards are where the layout put them and nothing is in its way. */
  planned(arrow: Transition, source: Card, target: Card): Route | null {
    const plan = this.plans.get(arrow.id);
    if (!plan || !sameRect(plan.source, source) || !sameRect(plan.target, target)) return null;
    const label = this.plannedLabel(arrow, plan);
    if (label === null) return null;
    const areas = linesOf(arrow.id, plan.points).map(({ from, to }) => segmentRect(from, to));
    if (label) areas.push(labelRect(label, labelWidth(arrow)));
    const ends = new Set([source.id, target.id]);
    const isBlocked = areas.some((area) =>
      this.input.cards.query(area).some((id) => !ends.has(id)),
    );
    if (isBlocked) return null;
    const route = polyline(plan.points, headAngle(plan.points), label);
    return { ...route, stem: plan.stem };
  }

  /** The place of the label; null if a new text has no room on the planned line. */
  private plannedLabel(arrow: Transition, plan: PlannedRoute): Point | undefined | null {
    const width = labelWidth(arrow);
    if (!width || !this.relabelled.has(arrow.id)) return plan.label ?? undefined;
    const field = this.field(arrow.id, (id) => this.drawn.get(id) ?? this.plans.get(id));
    if (plan.label) {
      const rect = labelRect(plan.label, width);
      const isFree = [...field.solids, ...field.labels].every((one) => !overlaps(rect, one));
      if (isFree) return plan.label;
    }
    const spot = labelPlace(plan.points, width, field);
    return spot.free ? spot.at : null;
  }

  /** A searched route; null in a graph that has no routes of a layout. */
  free(arrow: Transition, source: Card, target: Card): Route | null {
    if (!this.plans.size || this.freeIds.size >= MOST_FREE_ROUTES) return null;
    this.freeIds.add(arrow.id);
    const found = freeRoute(
      {
        source,
        target,
        label: labelWidth(arrow),
        shared: this.sharedPort(arrow),
        isLoop: source.id === target.id,
      },
      this.field(arrow.id, (id) => this.knownRoute(id)),
    );
    if (!found) return null;
    const route = polyline(found.points, headAngle(found.points), found.label);
    const end = stemEnd(arrow);
    if (!end || source.id === target.id) return route;
    const points = end === "source" ? found.points : [...found.points].reverse();
    return { ...route, stem: pointAlong(points, STEM_MARK) };
  }

  /** The route of an arrow that is drawn already, or planned. */
  private knownRoute(id: string): Drawn | undefined {
    const drawn = this.drawn.get(id);
    if (drawn) return drawn;
    const arrow = this.input.arrow(id);
    const source = arrow && this.input.card(arrow.source);
    const target = arrow && this.input.card(arrow.target);
    return (source && target && this.planned(arrow, source, target)) ?? undefined;
  }

  /** All cards and marks, and the lines and labels of the other arrows. */
  private field(own: string, routeOf: (id: string) => Drawn | undefined): Field {
    const labels: Rect[] = [];
    const lines: Line[] = [];
    for (const arrow of this.input.arrows()) {
      const route = arrow.id === own ? undefined : routeOf(arrow.id);
      if (!route) continue;
      lines.push(...linesOf(arrow.id, route.points));
      const width = labelWidth(arrow);
      if (width && route.label) labels.push(labelRect(route.label, width));
    }
    return { solids: [...this.input.cards.rects(), ...this.input.marks()], labels, lines };
  }

  /** The port of another arrow with the same stem. */
  private sharedPort(arrow: Transition): { end: "source" | "target"; port: Point } | undefined {
    const end = stemEnd(arrow);
    if (!end) return undefined;
    for (const id of this.input.touching(arrow[end])) {
      const other = this.input.arrow(id);
      const hasSameStem =
        other?.[end] === arrow[end] && other.kind === arrow.kind && other.event === arrow.event;
      const route = id !== arrow.id && hasSameStem ? this.knownRoute(id) : undefined;
      const port = end === "source" ? route?.points[0] : route?.points.at(-1);
      if (port) return { end, port };
    }
    return undefined;
  }
}

const labelWidth = (arrow: Transition): number => {
  const label = arrowLabel(arrow);
  return label ? pillWidth(label) : 0;
};

function pointAlong([from, to]: readonly Point[], distance: number): Point | null {
  if (!from || !to) return null;
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(distance, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
