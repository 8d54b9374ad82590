/**
 * Gesture: drag the end of a selected arrow to another card. Commands: redirect it to a state whose
 * name is typed, and reverse it.
 */

import { createStore, useStore } from "zustand";
import { commandEntry, session, type Edit, type Transition } from "../../../session";
import type { Point } from "../../scene/geometry";
import { CARD } from "../../scene/cardSizes";
import { Popup } from "../../view/Popup";
import { useStage } from "../../view/stageContext";
import { TargetField } from "../../view/TargetField";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, PointerInput } from "../gesture";

const dragging = createStore<{ now: { from: Point; to: Point } | null; asks: Transition | null }>(
  () => ({ now: null, asks: null }),
);

function drag({ hit, stage }: PointerInput): Drag | null {
  if (hit.kind !== "end" || session.state.readOnly) return null;
  const { transition, end } = hit;
  const route = stage.scene.route(transition);
  if (!route) return null;
  const from = end === "target" ? route.start : route.tip;
  const over = ({ hit: under }: PointerInput) =>
    under.kind === "state" ? under.id : under.kind === "port" ? under.state : null;
  const stop = () => {
    dragging.setState({ now: null });
    stage.hover.setState({ element: null, highlighted: new Set() });
  };
  return {
    move(touch) {
      const id = over(touch);
      stage.hover.setState({ element: null, highlighted: new Set(id ? [id] : []) });
      dragging.setState({ now: { from, to: touch.point } });
    },
    drop(touch) {
      stop();
      const id = over(touch);
      if (id !== null) retarget(transition, end, id);
    },
    cancel: stop,
  };
}

function retarget(id: string, end: "source" | "target", state: string): void {
  const arrow = session.state.graph.transitions.get(id);
  if (!arrow || arrow[end] === state) return;
  void session.edit([{ type: "retarget", transition: id, [end]: state }]);
  const next = { ...arrow, [end]: state };
  session.select([`transition:${next.source}|${next.label}|${next.target}`]);
}

function Layer() {
  const stage = useStage();
  const { now, asks } = useStore(dragging, (state) => state);
  const { x, y, zoom } = useStore(stage.view, (view) => view);
  if (asks) return <AskTarget arrow={asks} stage={stage} />;
  if (!now) return null;
  const at = (point: Point) => `${point.x * zoom + x} ${point.y * zoom + y}`;
  return (
    <svg className="draw-line">
      <path d={`M${at(now.from)}L${at(now.to)}`} />
    </svg>
  );
}

const stopAsking = () => dragging.setState({ asks: null });

function AskTarget({ arrow, stage }: { arrow: Transition; stage: Stage }) {
  const route = stage.scene.route(arrow.id);
  if (!route) return null;
  const at = { x: route.label.x, y: route.label.y + LABEL_GAP };
  const label = `New target of ${arrow.label || "the arrow"} from ${arrow.source}`;
  return (
    <Popup at={at} label={label} onClose={stopAsking}>
      <TargetField source={arrow.source} onTarget={(id) => redirect(stage, arrow, id)} />
    </Popup>
  );
}

const LABEL_GAP = 16;

/** Let the arrow lead to a state, which is added near its old target if there is none. */
function redirect(stage: Stage, arrow: Transition, id: string): void {
  stopAsking();
  stage.element?.focus({ preventScroll: true });
  if (stage.scene.cards.get(id)?.state) return retarget(arrow.id, "target", id);
  const { x, y } = stage.scene.cards.get(arrow.target) ?? stage.center();
  const place = stage.scene.freeSpot({ x, y: y + CARD.h + LABEL_GAP, ...CARD });
  const edits: Edit[] = [
    { type: "add_state", id },
    { type: "retarget", transition: arrow.id, target: id },
    ...stage.moveEdits([[id, place]]),
  ];
  void session.edit(edits);
  session.select([`state:${id}`]);
}

/** The selected arrow, if both ends are states. */
function selectedArrow(): Transition | null {
  const [only, ...more] = session.state.selection;
  const { graph } = session.state;
  const arrow = graph.transitions.get(only?.slice("transition:".length) ?? "");
  return arrow && !more.length ? arrow : null;
}

/** Arrows without a label follow from the order of states, and arrows to the end have no card. */
const canRedirect = () => !session.state.readOnly && !!selectedArrow()?.label;

function canReverse(): boolean {
  const arrow = selectedArrow();
  const target = arrow && session.state.graph.states.get(arrow.target);
  if (!target || target.terminal || target.stateless) return false;
  return canRedirect() && arrow.source !== arrow.target;
}

function reverse(): void {
  const arrow = selectedArrow();
  if (!arrow) return;
  const { id, source, target, label } = arrow;
  void session.edit([{ type: "retarget", transition: id, source: target, target: source }]);
  session.select([`transition:${target}|${label}|${source}`]);
}

export const reconnectGesture: Gesture = {
  name: "reconnect",
  holds: ({ hit }) => hit.kind === "end",
  drag,
  Layer,
  menu: ({ kind }) =>
    kind === "transition"
      ? [
          ...commandEntry("arrow.redirect", "change", { title: "Redirect to…" }),
          ...commandEntry("arrow.reverse", "change", { title: "Reverse" }),
        ]
      : [],
  commands: () => [
    {
      name: "arrow.redirect",
      title: "Redirect the selected arrow to another state",
      group: "Edit",
      keys: ["R"],
      possible: canRedirect,
      run: () => dragging.setState({ asks: selectedArrow() }),
    },
    {
      name: "arrow.reverse",
      title: "Reverse the selected arrow",
      group: "Edit",
      keys: ["Shift+X"],
      possible: canReverse,
      run: reverse,
    },
  ],
};
