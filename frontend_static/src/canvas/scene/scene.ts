/**
 * The canvas content: cards and arrows with their spatial indexes, in sync with the session's
 * graph. It remembers automatic positions so that nothing jumps.
 */

import type { GraphMaps, State, Transition } from "../../session";
import type { Card } from "./card";
import { freeShift } from "./freeShift";
import { GridIndex } from "./gridIndex";
import { Router } from "./router";
import type { Route } from "./arrowPath";
import { overlaps, padded, sameRect, union, type Point, type Rect } from "./geometry";
import { sizeOf, STUB, type Size } from "./cardSizes";
import { entryId, entryMarks, type EntryMark } from "./entryMarks";
import { renamesBetween, type Renames } from "./renames";
import { fromStored, holds, toStored, type PlannedRoute } from "./plannedRoute";

/** Maximum distance of an arrow beyond the two cards it connects, for the index. */
const ARROW_MARGIN = 72;
const REROUTE_MARGIN = 16;
const NO_IDS: ReadonlySet<string> = new Set();

export class Scene {
  readonly cards = new Map<string, Card>();
  readonly arrows = new Map<string, Transition>();
  readonly cardIndex = new GridIndex();
  readonly arrowIndex = new GridIndex();
  private readonly arrowsByState = new Map<string, Set<string>>();
  /** The last automatic position of each state, for an undo of its first move. */
  private readonly automaticPositions = new Map<string, Point>();
  /** Wanted positions of states that are about to be added. */
  private readonly wantedPlaces = new Map<string, Point>();
  private nextPlaces: Point[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly router: Router;
  private graph: GraphMaps | null = null;
  private cachedBounds: Rect | null | undefined;
  /** Increases with every change. Anything derived from an older version is stale. */
  version = 0;

  constructor() {
    this.router = new Router({
      card: (id) => this.cards.get(id),
      arrow: (id) => this.arrows.get(id),
      touching: (id) => this.arrowsByState.get(id) ?? [],
      arrows: () => this.arrows.values(),
      arrowCount: () => this.arrows.size,
      cards: this.cardIndex,
      marks: () => this.entryMarks().map((mark) => mark.rect),
    });
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private notify(): void {
    this.version += 1;
    this.cachedBounds = undefined;
    for (const listener of [...this.listeners]) listener();
  }

  route(id: string): Route | undefined {
    return this.router.route(id);
  }

  /** Take over the routes of a layout, and their extent. */
  planRoutes(routes: ReadonlyMap<string, PlannedRoute>): void {
    this.router.setPlanned(routes);
    for (const id of this.arrows.keys()) this.indexArrow(id);
    this.notify();
  }

  entryMarks(): EntryMark[] {
    return entryMarks(this.cards, this.graph?.entries ?? [], this.router.plannedRoutes);
  }

  arrowsOf(state: string): Iterable<string> {
    return this.arrowsByState.get(state) ?? [];
  }

  bounds(): Rect | null {
    const marks = this.entryMarks().map((mark) => mark.rect);
    this.cachedBounds ??= union([...this.cards.values(), ...marks, ...this.routeExtents()]);
    return this.cachedBounds;
  }

  /** The extents of planned routes that are drawn, so that the view holds lines around the cards. */
  private routeExtents(): Rect[] {
    return [...this.router.plannedRoutes.keys()].flatMap((id) => {
      const points = this.arrows.has(id) ? this.route(id)?.points : undefined;
      return points ? (extent(points) ?? []) : [];
    });
  }

  /** True if an undo took the positions of all states, and no automatic ones are known. */
  hasLostPositions(graph: GraphMaps): boolean {
    if (!graph.states.size) return false;
    for (const { id, x } of graph.states.values())
      if (x !== null || this.cards.get(id)?.unplaced !== false || this.automaticPositions.has(id))
        return false;
    return true;
  }

  /** Ids of states in the graph that have no position yet. */
  unplaced(graph: GraphMaps): string[] {
    const missing: string[] = [];
    for (const state of graph.states.values())
      if (state.x === null && !this.cards.has(state.id)) missing.push(state.id);
    return missing;
  }

  /**
   * Take over a graph. `positions` has places for states without one; states that still lack one
   * are left out until the layout has placed them.
   */
  update(graph: GraphMaps, positions: ReadonlyMap<string, Point>): void {
    const before = this.graph;
    this.graph = graph;
    this.router.setDragging(false);
    if (before) this.keepRoutes(renamesBetween(before, graph), graph);
    for (const id of this.arrows.keys()) if (!graph.transitions.has(id)) this.dropArrow(id);
    const stubs = missingTargets(graph);
    for (const [id, card] of this.cards)
      if (!graph.states.has(id) && !(card.state === null && stubs.has(id))) this.dropCard(id);
    for (const state of graph.states.values())
      if (before?.states.get(state.id) !== state || positions.has(state.id))
        this.putState(state, positions.get(state.id));
    for (const arrow of graph.transitions.values())
      if (this.arrows.get(arrow.id) !== arrow) this.putArrow(arrow);
    for (const [id, from] of stubs) this.putStub(id, from, positions.get(id));
    for (const state of graph.states.values())
      if (state.routes && before?.states.get(state.id)?.routes !== state.routes)
        this.storeRoutes(state.routes);
    this.notify();
  }

  /** Renamed arrows and entries keep their routes. */
  private keepRoutes({ states, arrows }: Renames, graph: GraphMaps): void {
    const renamed = new Map(arrows);
    const oldIds = new Map([...states].map(([id, next]) => [next, id]));
    for (const entry of graph.entries) {
      const state = oldIds.get(entry.state);
      if (state !== undefined) renamed.set(entryId({ ...entry, state }), entryId(entry));
    }
    if (renamed.size) this.router.renamePlanned(renamed);
  }

  /** The cards at both ends of an arrow or of the line of an entry. */
  private endsOf(id: string): readonly [Card, Card] | null {
    const arrow = this.arrows.get(id);
    const entry = arrow ? undefined : this.graph?.entries.find((one) => entryId(one) === id);
    const source = this.cards.get(arrow?.source ?? entry?.state ?? "");
    const target = this.cards.get(arrow?.target ?? entry?.state ?? "");
    return source && target ? [source, target] : null;
  }

  /** Take over the stored routes that hold. */
  private storeRoutes(routes: NonNullable<State["routes"]>): void {
    for (const [id, route] of Object.entries(routes)) {
      const ends = this.endsOf(id);
      const plan = fromStored(route);
      const known = this.router.plannedRoutes.get(id);
      if (!ends || !holds(plan, ...ends) || JSON.stringify(known) === JSON.stringify(plan))
        continue;
      this.router.store(id, plan);
      this.indexArrow(id);
    }
  }

  /** The routes of the arrows and entries of a state as they are drawn, to be stored. */
  drawnRoutes(state: string): NonNullable<State["routes"]> {
    const own = [...this.arrowsOf(state)].filter((id) => this.arrows.get(id)?.source === state);
    const entries = (this.graph?.entries ?? []).filter((one) => one.state === state).map(entryId);
    const routes: NonNullable<State["routes"]> = {};
    for (const id of [...own, ...entries]) {
      const label = this.route(id)?.label ?? null;
      const plan = this.router.plannedRoutes.get(id);
      const ends = this.endsOf(id);
      if (plan && ends && holds(plan, ...ends)) routes[id] = toStored({ ...plan, label });
    }
    return routes;
  }

  /** Move cards temporarily. The session is updated when the gesture ends. */
  movePreview(positions: Iterable<readonly [string, Point]>): void {
    this.router.setDragging(true);
    for (const [id, point] of positions) {
      const card = this.cards.get(id);
      if (card && (card.x !== point.x || card.y !== point.y)) this.put({ ...card, ...point });
    }
    this.notify();
  }

  /** Cards were dropped: route the arrows near their old and new positions again. */
  reroute(areas: Iterable<Rect>): void {
    this.router.setDragging(false);
    for (const area of areas) this.rerouteNear(area);
    this.notify();
  }

  private rerouteNear(area: Rect): void {
    for (const id of this.arrowIndex.query(padded(area, REROUTE_MARGIN))) {
      const arrow = this.arrows.get(id);
      if (arrow) this.router.replan(arrow);
    }
  }

  private putState(state: State, newPosition: Point | undefined): void {
    const was = this.cards.get(state.id);
    const size = sizeOf(state);
    const placed = state.x !== null && state.y !== null;
    const point = placed
      ? { x: state.x as number, y: state.y as number }
      : this.automaticPosition(state.id, newPosition);
    if (!point) return;
    const next: Card = {
      id: state.id,
      state,
      x: point.x,
      y: point.y,
      ...size,
      unplaced: !placed,
    };
    if (was && sameRect(was, next)) this.cards.set(state.id, next);
    else {
      this.put(next);
      if (was) for (const area of [was, next]) this.rerouteNear(area);
    }
  }

  /** The position of a state without a saved one: a new one, its current or its last one. */
  private automaticPosition(id: string, newPosition: Point | undefined): Point | undefined {
    if (newPosition) {
      this.automaticPositions.set(id, newPosition);
      return newPosition;
    }
    const was = this.cards.get(id);
    // The saved position is gone, so the state returns to where it was before the move.
    return was?.unplaced === false ? (this.automaticPositions.get(id) ?? was) : was;
  }

  private put(card: Card): void {
    this.cards.set(card.id, card);
    this.cardIndex.set(card.id, card);
    this.router.invalidateState(card.id);
    for (const id of this.arrowsByState.get(card.id) ?? []) this.indexArrow(id);
  }

  private putStub(id: string, from: string, newPosition: Point | undefined): void {
    if (this.cards.has(id) && !newPosition) return;
    const source = this.cards.get(from);
    if (!source) return;
    const point =
      newPosition ?? this.freeSpot({ x: source.x + source.w + 88, y: source.y + 84, ...STUB });
    this.put({ id, state: null, x: point.x, y: point.y, ...STUB, unplaced: true });
  }

  /** Place a state near this point when it is added. */
  wantPlace(id: string, point: Point): void {
    this.wantedPlaces.set(id, point);
  }

  /** Place the next added states near these corners, with any ids. */
  wantNextPlaces(corners: readonly Point[]): void {
    this.nextPlaces = [...corners];
  }

  /** The free place nearest to the wanted one of a new state; undefined if none is wanted. */
  takeWantedPlace(id: string, size: Size, occupied: readonly Rect[]): Point | undefined {
    const wanted = this.wantedPlaces.get(id) ?? this.nextPlaces.shift();
    this.wantedPlaces.delete(id);
    if (!wanted) return undefined;
    const shift = freeShift([{ ...wanted, ...size }], (area) => [
      ...this.cardIndex.query(area).flatMap((other) => this.cards.get(other) ?? []),
      ...occupied.filter((other) => overlaps(other, area)),
    ]);
    return { x: wanted.x + shift.x, y: wanted.y + shift.y };
  }

  /** The nearest free place below or above the wanted one. */
  freeSpot(wanted: Rect): Point {
    for (let ring = 0; ring < 60; ring += 1)
      for (const side of ring ? [1, -1] : [1]) {
        const rect = { ...wanted, y: wanted.y + side * ring * 24 };
        if (!this.cardIndex.query(padded(rect, 14)).length) return { x: rect.x, y: rect.y };
      }
    return { x: wanted.x, y: wanted.y };
  }

  /** The shortest shift after which these cards cover no other card. */
  shiftToFree(dropped: readonly Rect[], ids: ReadonlySet<string> = NO_IDS): Point {
    return freeShift(dropped, (area) =>
      this.cardIndex.query(area).flatMap((id) => (ids.has(id) ? [] : (this.cards.get(id) ?? []))),
    );
  }

  private dropCard(id: string): void {
    this.router.invalidateState(id);
    this.cards.delete(id);
    this.cardIndex.delete(id);
    for (const arrow of this.arrowsByState.get(id) ?? []) this.arrowIndex.delete(arrow);
  }

  private putArrow(arrow: Transition): void {
    this.dropArrow(arrow.id);
    this.arrows.set(arrow.id, arrow);
    for (const end of [arrow.source, arrow.target]) {
      const ids = this.arrowsByState.get(end);
      if (ids) ids.add(arrow.id);
      else this.arrowsByState.set(end, new Set([arrow.id]));
    }
    this.router.invalidateState(arrow.source);
    this.router.invalidateState(arrow.target);
    this.indexArrow(arrow.id);
  }

  private dropArrow(id: string): void {
    const was = this.arrows.get(id);
    if (!was) return;
    this.router.invalidateState(was.source);
    this.router.invalidateState(was.target);
    this.router.removeArrow(id);
    this.arrows.delete(id);
    this.arrowIndex.delete(id);
    for (const end of [was.source, was.target]) {
      const ids = this.arrowsByState.get(end);
      ids?.delete(id);
      if (ids?.size === 0) this.arrowsByState.delete(end);
    }
  }

  private indexArrow(id: string): void {
    const arrow = this.arrows.get(id);
    const source = arrow && this.cards.get(arrow.source);
    const target = arrow && this.cards.get(arrow.target);
    if (!source || !target) return;
    const planned = extent(this.router.plannedRoutes.get(id)?.points ?? []);
    const ends = union(planned ? [source, target, planned] : [source, target]) as Rect;
    this.arrowIndex.set(id, padded(ends, ARROW_MARGIN));
  }
}

const extent = (points: readonly Point[]): Rect | null =>
  union(points.map((point) => ({ ...point, w: 0, h: 0 })));

/** Transition targets without a state, each with the first state that names it. */
export function missingTargets(graph: GraphMaps): Map<string, string> {
  const missing = new Map<string, string>();
  for (const arrow of graph.transitions.values())
    if (!graph.states.has(arrow.target) && !missing.has(arrow.target))
      missing.set(arrow.target, arrow.source);
  return missing;
}
