/** Gesture: drag the end of a selected arrow to another card. */

import { createStore, useStore } from "zustand";
import { session } from "../../../session";
import type { Point } from "../../scene/geometry";
import { useStage } from "../../view/stageContext";
import type { Drag, Gesture, PointerInput } from "../gesture";

const dragging = createStore<{ now: { from: Point; to: Point } | null }>(() => ({ now: null }));

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
  const now = useStore(dragging, (state) => state.now);
  const { x, y, zoom } = useStore(stage.view, (view) => view);
  if (!now) return null;
  const at = (point: Point) => `${point.x * zoom + x} ${point.y * zoom + y}`;
  return (
    <svg className="draw-line">
      <path d={`M${at(now.from)}L${at(now.to)}`} />
    </svg>
  );
}

export const reconnectGesture: Gesture = {
  name: "reconnect",
  holds: ({ hit }) => hit.kind === "end",
  drag,
  Layer,
};
