/**
 * The canvas as gestures see it: its scene, its viewport and hit tests. Each canvas has one stage,
 * named as in 2D canvas libraries; it has nothing to do with the `stages` dialect.
 */

import type { ReactFlowInstance } from "@xyflow/react";
import { createStore } from "zustand";
import { session, type Edit } from "../../session";
import { Scene } from "../scene/scene";
import type { Point, Rect } from "../scene/geometry";
import { fittedView, fitZoom, leastPan, START_ZOOM, startOffset } from "./fitZoom";
import { glide as startGlide, stopGlide, type Viewport } from "./glide";
import { arrowAt, farZoom, FEW_STATES, hitTest, type Hit } from "./hitTest";

export interface View {
  x: number;
  y: number;
  zoom: number;
  width: number;
  height: number;
}

interface FitOptions {
  most?: number;
  least?: number;
  glide?: boolean;
}

interface SavedView {
  view: Viewport;
  positions: ReadonlyMap<string, Point>;
}

/** A card that was dropped on an arrow. */
export interface Insertion {
  arrow: string;
  /** The top left corner of the card. */
  at: Point;
  /** An existing state with its position before the drag, or the kind of a new one. */
  card: { id: string; from: Point } | { kind: string; suggestedId: string };
}

export const ZOOM = { least: 0.01, most: 2.5 };
/** Below this zoom a card shows only its id, in a larger font. */
const COMPACT_ZOOM = 0.62;

export class Stage {
  readonly scene = new Scene();
  readonly view = createStore<View>(() => ({ x: 0, y: 0, zoom: 1, width: 0, height: 0 }));
  /** The view mode, and whether there is nothing to see yet because a layout is running. */
  readonly mode = createStore(() => ({
    far: false,
    compact: false,
    layingOut: false,
    empty: false,
  }));
  /** The hovered element and the states highlighted with it. */
  readonly hover = createStore<{ element: string | null; highlighted: ReadonlySet<string> }>(
    () => ({
      element: null,
      highlighted: new Set(),
    }),
  );
  /** While an arrow is drawn: the states that cannot be its target. */
  readonly connectTargets = createStore<{ refused: ReadonlySet<string> }>(() => ({
    refused: new Set(),
  }));
  /** Many states being dragged as one picture, with the offset of the drag. */
  readonly carry = createStore<{ ids: ReadonlySet<string>; dx: number; dy: number }>(() => ({
    ids: new Set(),
    dx: 0,
    dy: 0,
  }));
  /** While a card is dragged: the arrow into which a drop inserts it, and then the drop. */
  readonly insertion = createStore<{ over: string | null; dropped: Insertion | null }>(() => ({
    over: null,
    dropped: null,
  }));
  element: HTMLElement | null = null;
  /** Open the context menu at a page position, after a long press. */
  openMenu: (clientX: number, clientY: number) => void = () => undefined;

  constructor() {
    this.scene.subscribe(() => this.updateMode());
  }

  flow: ReactFlowInstance | null = null;

  moved(view: Partial<View>): void {
    this.view.setState(view);
    this.updateMode();
  }

  /** The view that shows the whole graph, since it was fitted. */
  private wholeView: Viewport | null = null;

  /** The canvas was resized. A fitted graph stays fitted; otherwise the centre stays in place. */
  resized(width: number, height: number): void {
    const before = this.view.getState();
    this.moved({ width, height });
    if (isSameView(before, this.wholeView))
      return this.fitAll({ least: this.isSmall() ? START_ZOOM : ZOOM.least, glide: false });
    if (before.width && before.height && width && height)
      this.pan((width - before.width) / 2, (height - before.height) / 2);
  }

  /** Choose the near or the far view. */
  updateMode(): void {
    const { zoom } = this.view.getState();
    this.mode.setState({
      far: zoom < farZoom(this.scene.cards.size),
      compact: zoom < COMPACT_ZOOM,
    });
  }

  /** The scene point at a page position. */
  toScene(clientX: number, clientY: number): Point {
    const { left, top } = this.frame();
    const { x, y, zoom } = this.view.getState();
    return { x: (clientX - left - x) / zoom, y: (clientY - top - y) / zoom };
  }

  toPage(point: Point): Point {
    const { left, top } = this.frame();
    const { x, y, zoom } = this.view.getState();
    return { x: point.x * zoom + x + left, y: point.y * zoom + y + top };
  }

  private frame(): { left: number; top: number } {
    return this.element?.getBoundingClientRect() ?? { left: 0, top: 0 };
  }

  hitTest(clientX: number, clientY: number): Hit {
    const point = this.toScene(clientX, clientY);
    return hitTest(this.scene, point, this.view.getState().zoom, session.state.selection);
  }

  /**
   * The arrow between two states at a page position, while a card is dragged over it. It is
   * published for the highlight.
   */
  markInsertion(clientX: number, clientY: number, dragged?: string): string | null {
    const { zoom } = this.view.getState();
    const id = arrowAt(this.scene, this.toScene(clientX, clientY), zoom, dragged);
    const arrow = id === null ? undefined : this.scene.arrows.get(id);
    const over = arrow && session.state.graph.states.has(arrow.target) ? arrow.id : null;
    if (over !== this.insertion.getState().over) this.insertion.setState({ over });
    return over;
  }

  /** The visible part of the scene, extended by `pad` screen pixels. */
  visible(pad = 0): Rect {
    const { x, y, zoom, width, height } = this.view.getState();
    return {
      x: (-x - pad) / zoom,
      y: (-y - pad) / zoom,
      w: (width + 2 * pad) / zoom,
      h: (height + 2 * pad) / zoom,
    };
  }

  center(): Point {
    const { x, y, w, h } = this.visible();
    return { x: x + w / 2, y: y + h / 2 };
  }

  private readonly savedViews = new Map<string, SavedView>();

  /** Save the view and the automatic positions of a level for the next visit. */
  saveView(place: string): void {
    const { x, y, zoom } = this.view.getState();
    const floating = [...this.scene.cards.values()].filter((card) => card.unplaced);
    const positions = new Map(floating.map((card) => [card.id, { x: card.x, y: card.y }]));
    this.savedViews.set(place, { view: { x, y, zoom }, positions });
  }

  savedView(place: string): SavedView | undefined {
    return this.savedViews.get(place);
  }

  /**
   * The initial view: the whole graph, or the start of a small graph that would be illegible as a
   * whole.
   */
  open(saved?: SavedView["view"]): void {
    const { scene } = this;
    if (saved) return this.goTo(saved);
    const all = scene.bounds();
    if (!all) return;
    if (!this.isSmall() || this.fitZoom(all) >= START_ZOOM) return this.fitAll({ glide: false });
    const { width, height } = this.view.getState();
    const start = scene.cards.get(session.state.graph.entries[0]?.state ?? "") ?? all;
    const x = startOffset(width, all.x, all.w, start.x);
    const y = startOffset(height, all.y, all.h, start.y);
    return this.goTo({ x, y, zoom: START_ZOOM });
  }

  private isSmall(): boolean {
    return this.scene.cards.size <= FEW_STATES;
  }

  /** Show the whole graph, also after later changes of the window, until the view is moved. */
  fitAll(options: FitOptions = {}): void {
    this.wholeView = this.fit(this.scene.bounds(), options);
  }

  private fitZoom(rect: Rect): number {
    const { width: w, height: h } = this.view.getState();
    return fitZoom(rect, { w, h });
  }

  /** Zoom to a rectangle, at most to `most`. Returns the view; null for nothing to show. */
  fit(rect: Rect | null, options: FitOptions = {}): Viewport | null {
    const { width, height } = this.view.getState();
    if (!rect || !width || !height) return null;
    const limits = { least: options.least ?? ZOOM.least, most: options.most ?? 1 };
    const view = fittedView(rect, { w: width, h: height }, limits, this.scene.cards.values());
    this.goTo(view, options.glide ?? true);
    return view;
  }

  /**
   * Pan as little as needed to show a rectangle; if the whole graph has room at this zoom, show all
   * of it.
   */
  reveal(rect: Rect): void {
    const { x, y, zoom, width, height } = this.view.getState();
    const all = this.scene.bounds();
    const shown = all && this.fitZoom(all) >= zoom ? all : rect;
    const dx = leastPan(width, shown.x * zoom + x, shown.w * zoom);
    const dy = leastPan(height, shown.y * zoom + y, shown.h * zoom);
    this.goTo({ x: x + dx, y: y + dy, zoom }, true);
  }

  centerOn(point: Point, zoom = this.view.getState().zoom, glide = true): void {
    const { width, height } = this.view.getState();
    const x = width / 2 - point.x * zoom;
    const y = height / 2 - point.y * zoom;
    this.goTo({ x, y, zoom }, glide);
  }

  goTo(view: Viewport, glide = false): void {
    const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const show = (next: Viewport) => void this.flow?.setViewport(next);
    stopGlide();
    if (glide && !reducedMotion) startGlide(this.view.getState(), view, show);
    else show(view);
  }

  pan(dx: number, dy: number): void {
    const { x, y, zoom } = this.view.getState();
    this.goTo({ x: x + dx, y: y + dy, zoom });
  }

  zoomBy(factor: number, around?: Point): void {
    const { x, y, zoom, width, height } = this.view.getState();
    const next = Math.max(ZOOM.least, Math.min(ZOOM.most, zoom * factor));
    const fixed = around ?? { x: width / 2, y: height / 2 };
    const part = next / zoom;
    const to = { x: fixed.x - (fixed.x - x) * part, y: fixed.y - (fixed.y - y) * part, zoom: next };
    this.goTo(to, true);
  }

  /** The edit that saves these positions. States that a run added are not in the pack. */
  moveEdits(positions: Iterable<readonly [string, Point]>): Edit[] {
    const all: Record<string, [number, number]> = {};
    const { addedBy = {} } = session.state.graph;
    for (const [id, point] of positions)
      if (!(id in addedBy)) all[id] = [Math.round(point.x), Math.round(point.y)];
    return Object.keys(all).length ? [{ type: "move", positions: all }] : [];
  }
}

function isSameView(view: Viewport, other: Viewport | null): boolean {
  return (
    other !== null &&
    Math.abs(view.x - other.x) < 0.5 &&
    Math.abs(view.y - other.y) < 0.5 &&
    Math.abs(view.zoom - other.zoom) < 0.001
  );
}
