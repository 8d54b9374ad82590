/**
 * Gesture: draw an arrow from a card's right port to another card, to itself, or to the empty
 * canvas.
 */

import { createStore, useStore } from "zustand";
import { commandEntry, session, shortId, type Offer, type Transition } from "../../../session";
import type { Card } from "../../scene/card";
import { CARD } from "../../scene/cardSizes";
import { middle, right, snap, type Point } from "../../scene/geometry";
import { Popup } from "../../view/Popup";
import { useStage } from "../../view/stageContext";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, PointerInput } from "../gesture";
import { connectOptions } from "../../view/connectOptions";
import { ConnectMenu } from "./ConnectMenu";
import { type Dropped } from "./connect";
import { TargetField } from "../../view/TargetField";

interface Drawing {
  source: string;
  from: Point;
  to: Point;
  /** The state under the pointer. */
  over: string | null;
  reason: string;
  offers: Offer[] | null;
}

const drawing = createStore<{ now: Drawing | null; dropped: Dropped | null }>(() => ({
  now: null,
  dropped: null,
}));

function drag(start: PointerInput): Drag | null {
  if (start.hit.kind !== "port" || session.state.readOnly) return null;
  const source = start.hit.state;
  const card = start.stage.scene.cards.get(source);
  if (!card) return null;
  const from = { x: right(card), y: middle(card).y };
  const { stage } = start;
  stage.element?.classList.add("connecting");
  drawing.setState({ now: { source, from, to: from, over: null, reason: "", offers: null } });
  void fetchOffers(stage, source);
  const end = () => {
    stage.element?.classList.remove("connecting");
    stage.hover.setState({ element: null, highlighted: new Set() });
    stage.connectTargets.setState({ refused: new Set() });
    drawing.setState({ now: null });
  };
  return {
    move: (touch) => updateLine(stage, touch),
    drop(touch) {
      const target = stateUnder(touch);
      end();
      drop(stage, source, target, touch.point);
    },
    cancel: end,
  };
}

async function fetchOffers(stage: Stage, source: string): Promise<void> {
  const offers = await session.fetchOffers(source).catch(() => []);
  const { now } = drawing.getState();
  if (now?.source !== source) return;
  const withOffers = { ...now, offers };
  drawing.setState({ now: { ...withOffers, reason: refusalAt(withOffers, now.over) } });
  const { states } = session.state.graph;
  const refused = [...states.keys()].filter((id) => refusal(offers, source, id));
  stage.connectTargets.setState({ refused: new Set(refused) });
}

/** The state under the pointer, including its ports. */
function stateUnder({ hit }: PointerInput): string | null {
  if (hit.kind === "state") return hit.id;
  return hit.kind === "port" ? hit.state : null;
}

function updateLine(stage: Stage, touch: PointerInput): void {
  const { now } = drawing.getState();
  if (!now) return;
  const over = stateUnder(touch);
  if (over !== now.over)
    stage.hover.setState({ element: null, highlighted: new Set(over ? [over] : []) });
  drawing.setState({ now: { ...now, to: touch.point, over, reason: refusalAt(now, over) } });
}

function refusalAt(now: Drawing, over: string | null): string {
  return over === null || now.offers === null ? "" : refusal(now.offers, now.source, over);
}

function refusal(offers: Offer[], source: string, target: string): string {
  const { graph } = session.state;
  if (graph.states.get(target)?.stateless) return "Sections take no arrows.";
  return connectOptions(offers, outgoing(source), source, target).reason;
}

/** The transitions that leave a state. Cached because it is called for every state of the graph. */
function outgoing(source: string): Transition[] {
  const { transitions } = session.state.graph;
  if (outgoingCache.of !== transitions || outgoingCache.source !== source)
    outgoingCache = {
      of: transitions,
      source,
      arrows: [...transitions.values()].filter((one) => one.source === source),
    };
  return outgoingCache.arrows;
}

let outgoingCache: { of: unknown; source: string; arrows: Transition[] } = {
  of: null,
  source: "",
  arrows: [],
};

function drop(stage: Stage, source: string, target: string | null, at: Point): void {
  const { graph } = session.state;
  if (target !== null && graph.states.get(target)?.stateless) {
    session.notify("Sections take no arrows.", "warning");
    return;
  }
  const card = stage.scene.cards.get(source);
  // The pointer was released on the port where it was pressed, so no arrow was drawn.
  if (target === source && card && Math.hypot(at.x - right(card), at.y - middle(card).y) < 14)
    return;
  const place = { x: snap(at.x), y: snap(at.y) };
  const shift = stage.scene.shiftToFree(
    target === null ? [{ x: place.x, y: snap(place.y - CARD.h / 2), ...CARD }] : [],
  );
  const free = { x: place.x + shift.x, y: place.y + shift.y };
  drawing.setState({ dropped: { source, target, at: free } });
}

/**
 * Connect by keyboard: from the selected state to the other selected state. If only one is
 * selected, its target is typed.
 */
function connectSelected(stage: Stage): void {
  const [source, target] = [...session.state.selection].flatMap((one) =>
    one.startsWith("state:") ? one.slice(6) : [],
  );
  const card = stage.scene.cards.get(target ?? source ?? "");
  if (source === undefined || !card || session.state.graph.states.get(source)?.stateless) return;
  const at = { x: card.x, y: card.y + card.h + 8 };
  drawing.setState({
    dropped:
      target === undefined
        ? { source, target: null, at, asksTarget: true }
        : { source, target, at },
  });
}

/** The free place next to a state where the middle of a new state's left edge goes. */
function placeNextTo(stage: Stage, card: Card): Point {
  const spot = stage.scene.freeSpot({ x: right(card) + NEW_STATE_GAP, y: card.y, ...CARD });
  return { x: spot.x, y: spot.y + CARD.h / 2 };
}

/** Connect the selected state to a new one. A popup takes its id. */
function connectToNew(stage: Stage): void {
  const [only] = [...session.state.selection];
  const card = only && stage.scene.cards.get(only.slice("state:".length));
  if (!card) return;
  const at = placeNextTo(stage, card);
  drawing.setState({ dropped: { source: card.id, target: null, at } });
}

/** The target of an arrow has been typed: an existing state, or a new one next to the source. */
function takeTarget(stage: Stage, dropped: Dropped, id: string): void {
  const { source } = dropped;
  const existing = stage.scene.cards.get(id);
  if (existing) {
    const at = { x: existing.x, y: existing.y + existing.h + 8 };
    drawing.setState({ dropped: { source, target: id, at } });
    return;
  }
  const card = stage.scene.cards.get(source);
  if (!card) return;
  const at = placeNextTo(stage, card);
  const newId = shortId(id, session.state.level);
  drawing.setState({ dropped: { source, target: null, at, newId } });
}

const NEW_STATE_GAP = 88;

const close = () => drawing.setState({ dropped: null });

function Layer() {
  const stage = useStage();
  const { now, dropped } = useStore(drawing, (state) => state);
  useStore(stage.view, (view) => view);
  return (
    <>
      {now && <Line now={now} stage={stage} />}
      {dropped && !dropped.asksTarget && <DroppedLine dropped={dropped} stage={stage} />}
      {dropped?.asksTarget && (
        <Popup at={dropped.at} label={`Arrow from ${dropped.source}`} onClose={close}>
          <TargetField source={dropped.source} onTarget={(id) => takeTarget(stage, dropped, id)} />
        </Popup>
      )}
      {dropped && !dropped.asksTarget && (
        <ConnectMenu
          key={`${dropped.source}|${dropped.target ?? ""}`}
          dropped={dropped}
          onClose={close}
        />
      )}
    </>
  );
}

/** The arrow while its popup asks for the event, with the outline of a new state. */
function DroppedLine({ dropped, stage }: { dropped: Dropped; stage: Stage }) {
  const { x, y, zoom } = stage.view.getState();
  const card = stage.scene.cards.get(dropped.source);
  if (!card) return null;
  const target = dropped.target === null ? null : stage.scene.cards.get(dropped.target);
  const loop = dropped.target === dropped.source;
  const end = target ? { x: target.x, y: middle(target).y } : dropped.at;
  const path = loop ? loopPath(card) : curve({ x: right(card), y: middle(card).y }, end);
  return (
    <svg className="draw-line waiting" data-drawn={`${dropped.source}|${dropped.target ?? ""}`}>
      <g transform={`translate(${x} ${y}) scale(${zoom})`}>
        <path d={path} />
        {!loop && <circle cx={end.x} cy={end.y} r={4} />}
        {dropped.target === null && (
          <rect x={end.x} y={snap(end.y - CARD.h / 2)} width={CARD.w} height={CARD.h} rx={8} />
        )}
      </g>
    </svg>
  );
}

function curve(from: Point, to: Point): string {
  const reach = Math.max(24, Math.abs(to.x - from.x) / 2);
  return `M${from.x} ${from.y}C${from.x + reach} ${from.y} ${to.x - reach} ${to.y} ${to.x} ${to.y}`;
}

/** From the right port over the card to its left edge. */
function loopPath(card: Card): string {
  const [a, b] = [right(card), card.x];
  const [mid, top] = [middle(card).y, card.y - 40];
  return `M${a} ${mid}C${a + 48} ${top} ${b - 48} ${top} ${b} ${mid}`;
}

function Line({ now, stage }: { now: Drawing; stage: Stage }) {
  const { x, y, zoom } = stage.view.getState();
  const from = { x: now.from.x * zoom + x, y: now.from.y * zoom + y };
  const to = { x: now.to.x * zoom + x, y: now.to.y * zoom + y };
  const d = curve(from, to);
  const hint =
    now.reason || (now.over === now.source ? "to itself" : now.over === null ? "new state" : "");
  return (
    <>
      <svg className={now.reason ? "draw-line invalid" : "draw-line"}>
        <path d={d} />
        <circle cx={to.x} cy={to.y} r={4} />
      </svg>
      {hint && (
        <div
          className="canvas-tooltip"
          role="status"
          style={{ transform: `translate(${to.x + 14}px, ${to.y + 14}px)` }}
        >
          {hint}
        </div>
      )}
    </>
  );
}

/** The single selected state from which arrows may leave. */
function selectedSource(): string | null {
  const [only, ...more] = session.state.selection;
  const state = session.state.graph.states.get(only?.startsWith("state:") ? only.slice(6) : "");
  return state && !more.length && !state.stateless && !state.terminal ? state.id : null;
}

export const connectGesture: Gesture = {
  name: "connect",
  holds: ({ hit }) => hit.kind === "port",
  drag,
  Layer,
  menu: ({ kind, id }) => {
    const state = kind === "state" ? session.state.graph.states.get(id) : undefined;
    const { size } = session.state.selection;
    if (!state || state.stateless || (state.terminal && size < 2) || size > 2) return [];
    if (size === 2)
      return commandEntry("connect", "change", { title: "Connect the first to the second" });
    return commandEntry("connect", "change", { title: "Connect to…" });
  },
  commands: (stage) => [
    {
      name: "connect.new",
      title: "Draw an arrow from the selected state to a new one",
      group: "Edit",
      keys: ["Shift+C"],
      possible: () => !session.state.readOnly && selectedSource() !== null,
      run: () => connectToNew(stage),
    },
    {
      name: "connect",
      title: "Draw an arrow from the selected state",
      group: "Edit",
      keys: ["C"],
      possible: () =>
        !session.state.readOnly &&
        [...session.state.selection].some((one) => one.startsWith("state:")),
      run: () => connectSelected(stage),
    },
  ],
};
