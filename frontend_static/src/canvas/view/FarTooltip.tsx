/** In the far view: the name of the hovered state, which is too small to read. */

import { useStore } from "zustand";
import { cardFindings, useSession } from "../../session";
import { useStage } from "./stageContext";

const GAP = 10;

export function FarTooltip() {
  const stage = useStage();
  const far = useStore(stage.mode, (mode) => mode.far);
  const element = useStore(stage.hover, (hover) => hover.element);
  const { x, y, zoom } = useStore(stage.view, (view) => view);
  const graph = useSession((state) => state.graph);
  const finding = useSession((state) => {
    const hovered = element && state.graph.states.get(element.replace(/^state:/, ""));
    return hovered ? cardFindings(state, hovered)[0] : undefined;
  });
  if (!far || !element?.startsWith("state:")) return null;
  const card = stage.scene.cards.get(element.slice(6));
  const state = graph.states.get(element.slice(6));
  if (!card || !state) return null;
  const left = card.x * zoom + x;
  const top = (card.y + card.h) * zoom + y + GAP;
  return (
    <div
      className="canvas-tooltip"
      role="tooltip"
      style={{ transform: `translate(${left}px, ${top}px)` }}
    >
      {state.id}
      {(finding || state.name) && <small>{finding?.message ?? state.name}</small>}
    </div>
  );
}
