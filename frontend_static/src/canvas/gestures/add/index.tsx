/**
 * Gesture: add a state by dropping it from the palette, by a double click on the canvas, or with a
 * key.
 */

import { useEffect } from "react";
import { createStore, useStore } from "zustand";
import { newStateId, STATE_KIND_MIME, paletteOf, session } from "../../../session";
import { type Point } from "../../scene/geometry";
import { CARD } from "../../scene/cardSizes";
import { useStage } from "../../view/stageContext";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";
import { QuickAdd } from "./QuickAdd";
import { addState, freePlace } from "./addState";

const quickAdd = createStore<{ at: Point | null }>(() => ({ at: null }));

/** The middle of the viewport, or the nearest free place. */
function freeMiddle(stage: Stage): Point {
  const { x, y } = stage.center();
  const spot = stage.scene.freeSpot({ x: x - CARD.w / 2, y: y - CARD.h / 2, ...CARD });
  return { x: spot.x + CARD.w / 2, y: spot.y + CARD.h / 2 };
}

function listenForDrops(stage: Stage, root: HTMLElement): () => void {
  const over = (event: DragEvent) => {
    if (session.state.readOnly || !event.dataTransfer?.types.includes(STATE_KIND_MIME)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    stage.markInsertion(event.clientX, event.clientY);
  };
  const leave = () => stage.insertion.setState({ over: null });
  const drop = (event: DragEvent) => {
    if (session.state.readOnly || !event.dataTransfer?.types.includes(STATE_KIND_MIME)) return;
    event.preventDefault();
    const kind = event.dataTransfer.getData(STATE_KIND_MIME);
    const item = paletteOf(session.state).find((one) => one.kind === kind);
    const id = newStateId(item?.suggested_id ?? kind, session.state);
    const at = stage.toScene(event.clientX, event.clientY);
    const arrow = stage.markInsertion(event.clientX, event.clientY);
    leave();
    if (arrow === null) return addState(stage, kind, id, at);
    const card = { kind, suggestedId: id };
    stage.insertion.setState({ dropped: { arrow, at: freePlace(stage, at), card } });
  };
  root.addEventListener("dragover", over);
  root.addEventListener("dragleave", leave);
  root.addEventListener("drop", drop);
  return () => {
    root.removeEventListener("dragleave", leave);
    root.removeEventListener("dragover", over);
    root.removeEventListener("drop", drop);
  };
}

const close = () => quickAdd.setState({ at: null });

function Layer() {
  const stage = useStage();
  const at = useStore(quickAdd, (state) => state.at);
  useEffect(() => (stage.element ? listenForDrops(stage, stage.element) : undefined), [stage]);
  return at && <QuickAdd at={at} onClose={close} />;
}

export const addGesture: Gesture = {
  name: "add",
  doubleClick({ hit, point }) {
    if (hit.kind === "empty" && !session.state.readOnly) quickAdd.setState({ at: point });
  },
  Layer,
  commands: (stage) => [
    {
      name: "add",
      title: "Add a state",
      group: "Canvas",
      keys: ["A"],
      possible: () => !session.state.readOnly && session.state.phase === "ready",
      run: () => quickAdd.setState({ at: freeMiddle(stage) }),
    },
  ],
};
