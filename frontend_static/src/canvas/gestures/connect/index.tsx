/**
 * Gesture: draw an arrow from a card's right port to another card, to itself, or to the empty
 * canvas.
 */

import { createStore, useStore } from "../../../ui/store";
import { session, type Offer, type Transition } from "../../../session";
import { middle, right, snap, type Point } from "../../scene/geometry";
import { useStage } from "../../view/stageContext";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, PointerInput } from "../gesture";
import { connectOptions } from "./connectOptions";
import { ConnectMenu } from "./ConnectMenu";
import { type Dropped } from "./connect";

interface Drawing {
  source: string;
  from: Point;
  to: Point;
  /** The state under the pointer. */
  over: string | null;
  reason: string;
  offers: Offer[] | null;
}

const drawing = createStore<{ now: Drawing | null; dropped: Dropped | null }>({
  now: null,
  dropped: null,
});

function drag(start: PointerInput): Drag | null {
  if (start.hit.kind !== "port" || session.state.readOnly) return null;
  const source = start.hit.state;
  const card = start.stage.scene.cards.get(source);
  if (!card) return null;
  const from = { x: right(card), y: middle(card).y };
  const { stage } = start;
  stage.element?.classList.add("connecting");
  drawing.set({ now: { source, from, to: from, over: null, reason: "", offers: null } });
  void fetchOffers(stage, source);
  const end = () => {
    stage.element?.classList.remove("connecting");
    stage.hover.set({ element: null, highlighted: new Set() });
    stage.connectTargets.set({ refused: new Set() });
    drawing.set({ now: null });
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
  const { now } = drawing.get();
  if (now?.source !== source) return;
  const withOffers = { ...now, offers };
  drawing.set({ now: { ...withOffers, reason: refusalAt(withOffers, now.over) } });
  const { states } = session.state.graph;
  const refused = [...states.keys()].filter((id) => refusal(offers, source, id));
  stage.connectTargets.set({ refused: new Set(refused) });
}

/** The state under the pointer, including its ports. */
function stateUnder({ hit }: PointerInput): string | null {
  if (hit.kind === "state") return hit.id;
  return hit.kind === "port" ? hit.state : null;
}

function updateLine(stage: Stage, touch: PointerInput): void {
  const { now } = drawing.get();
  if (!now) return;
  const over = stateUnder(touch);
  if (over !== now.over)
    stage.hover.set({ element: null, highlighted: new Set(over ? [over] : []) });
  drawing.set({ now: { ...now, to: touch.point, over, reason: refusalAt(now, over) } });
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
  drawing.set({ dropped: { source, target, at: place } });
}

/** Connect by keyboard: from the selected state to the other selected state, or to itself. */
function connectSelected(stage: Stage): void {
  const ids = [...session.state.selection].flatMap((one) =>
    one.startsWith("state:") ? one.slice(6) : [],
  );
  const [source, target] = [ids[0], ids[1] ?? ids[0]];
  const card = target === undefined ? null : stage.scene.cards.get(target);
  if (source === undefined || target === undefined || !card) return;
  drawing.set({ dropped: { source, target, at: { x: card.x, y: card.y + card.h + 8 } } });
}

const close = () => drawing.set({ dropped: null });

function Layer() {
  const stage = useStage();
  const { now, dropped } = useStore(drawing, (state) => state);
  useStore(stage.view, (view) => view);
  return (
    <>
      {now && <Line now={now} stage={stage} />}
      {dropped && <ConnectMenu dropped={dropped} onClose={close} />}
    </>
  );
}

function Line({ now, stage }: { now: Drawing; stage: Stage }) {
  const { x, y, zoom } = stage.view.get();
  const from = { x: now.from.x * zoom + x, y: now.from.y * zoom + y };
  const to = { x: now.to.x * zoom + x, y: now.to.y * zoom + y };
  const reach = Math.max(24, Math.abs(to.x - from.x) / 2);
  const d = `M${from.x} ${from.y}C${from.x + reach} ${from.y} ${to.x - reach} ${to.y} ${to.x} ${to.y}`;
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

export const connectGesture: Gesture = {
  name: "connect",
  holds: ({ hit }) => hit.kind === "port",
  drag,
  Layer,
  commands: (stage) => [
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
