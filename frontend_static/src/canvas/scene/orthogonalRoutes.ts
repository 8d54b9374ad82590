/**
 * Orthogonal routes of small and middle graphs: planned ones, which the layout made or the pack has,
 * and searched ones for arrows that are new or whose cards were moved.
 */

import type { Transition } from "../../session";
import { arrowLabel } from "./arrowLabel";
import { headAngle, polyline, type Route } from "./arrowPath";
import type { Card } from "./card";
import { pillWidth } from "./cardSizes";
import { freeRoute } from "./freeRoutes";
import { linesOf, segmentRect, type Field, type Line } from "./freeRoutes/field";
import { labelRect, labelPlace } from "./freeRoutes/labelPlace";
import { overlaps, type Point, type Rect } from "./geometry";
import type { GridIndex } from "./gridIndex";
import { holds, rounded, type PlannedRoute } from "./plannedRoute";
import { stemEnd } from "./sharedStems";

export interface RouterInput {
  card(id: string): Card | undefined;
  arrow(id: string): Transition | undefined;
  /** Ids of the arrows that start or end at a state. */
  touching(state: string): Iterable<string>;
  arrows(): Iterable<Transition>;
  arrowCount(): number;
  cards: GridIndex;
  /** Drawings besides the cards that no line may cross. */
  marks(): Iterable<Rect>;
}

/** The bar or dot of a shared stem, in front of a card. */
const STEM_MARK = 12;
/** Arrows that are searched at most at once. More would block the page; the others are curves. */
const MOST_SEARCHED = 60;
/** elkjs takes 1.4 seconds for 300 states and minutes for thousands. */
const MOST = { states: 300, arrows: 1_200 };

/** True if the arrows of a graph of this size are orthogonal; those of larger graphs are curves. */
export const isRouted = (states: number, arrows: number): boolean =>
  states <= MOST.states && arrows <= MOST.arrows;

type Drawn = { points: Point[]; label: Point | null };

export class OrthogonalRoutes {
  private plans = new Map<string, PlannedRoute>();

  get plannedRoutes(): ReadonlyMap<string, PlannedRoute> {
    return this.plans;
  }

  /** Arrows with another label than the one that their route was planned for. */
  private relabelled = new Set<string>();
  private searched = 0;

  /** `drawn`: the routes that the router has drawn. */
  constructor(
    private readonly input: RouterInput,
    private readonly drawn: ReadonlyMap<string, Route>,
  ) {}

  setPlanned(plans: ReadonlyMap<string, PlannedRoute>): void {
    this.plans = new Map(plans);
    this.relabelled.clear();
    this.searched = 0;
  }

  /** Take over a stored route. */
  store(id: string, plan: PlannedRoute): void {
    this.plans.set(id, plan);
    this.relabelled.delete(id);
  }

  /** The graph has changed, so that as many routes are searched again. */
  allowSearch(): void {
    this.searched = 0;
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

  /** The planned route, if both cards are where they were and nothing is in its way. */
  planned(arrow: Transition, source: Card, target: Card): Route | null {
    const plan = this.plans.get(arrow.id);
    if (!plan || !holds(plan, source, target)) return null;
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
    return { ...route, stem: stemMark(arrow, plan.points) };
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

  /** A searched route, which is planned from now on; null in a large graph. */
  free(arrow: Transition, source: Card, target: Card): Route | null {
    if (this.searched >= MOST_SEARCHED) return null;
    this.searched += 1;
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
    const points = found.points.map(rounded);
    const label = rounded(found.label);
    this.store(arrow.id, { points, label, source: rectOf(source), target: rectOf(target) });
    return { ...polyline(points, headAngle(points), label), stem: stemMark(arrow, points) };
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

const rectOf = ({ x, y, w, h }: Rect): Rect => ({ x, y, w, h });

/** The mark of a fork, choice or join, just outside the card. */
function stemMark(arrow: Transition, points: readonly Point[]): Point | null {
  const end = stemEnd(arrow);
  if (!end || arrow.source === arrow.target) return null;
  return pointAlong(end === "source" ? points : [...points].reverse(), STEM_MARK);
}

function pointAlong([from, to]: readonly Point[], distance: number): Point | null {
  if (!from || !to) return null;
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const part = Math.min(distance, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
