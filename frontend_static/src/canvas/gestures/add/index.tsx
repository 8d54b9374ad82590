/**
 * Gesture: add a state by dropping it from the palette, by a double click on the canvas, or with a
 * key.
 */

import { useEffect } from "react";
import { createStore, useStore } from "zustand";
import {
  commandEntry,
  newStateId,
  paletteOf,
  session,
  STATE_KIND_MIME,
  type MenuEntry,
  type MenuPlace,
} from "../../../session";
import { type Point } from "../../scene/geometry";
import { kindOf } from "../../../ui/stateKinds";
import { CARD } from "../../scene/cardSizes";
import { useStage } from "../../view/stageContext";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";
import { QuickAdd } from "./QuickAdd";
import { addState, freePlace } from "../../view/addState";

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

/** More kinds than this are found by typing. */
const MOST_KINDS = 6;

/** The first kinds of states, and the popup that finds the others. */
function entriesAt({ kind, x, y }: MenuPlace, stage: Stage): MenuEntry[] {
  if (kind !== "ground" || !canAdd()) return [];
  const at = stage.toScene(x, y);
  const palette = paletteOf(session.state);
  const ofKinds = palette.slice(0, MOST_KINDS).map((item): MenuEntry => {
    const { Icon, hue } = kindOf(item.kind);
    return {
      id: `add.${item.kind}`,
      title: `Add ${item.title.toLowerCase()} here`,
      group: "add",
      icon: <Icon size={15} color={`var(--kind-${hue})`} aria-hidden />,
      run: () => addState(stage, item.kind, newStateId(item.suggested_id, session.state), at),
    };
  });
  const find = commandEntry("add", "add", { title: "Find a kind of state…" });
  const atPlace = find.map((entry) => ({ ...entry, run: () => quickAdd.setState({ at }) }));
  return [...ofKinds, ...atPlace];
}

const canAdd = () => !session.state.readOnly && session.state.phase === "ready";

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
  menu: entriesAt,
  commands: (stage) => [
    {
      name: "add",
      title: "Add a state",
      group: "Canvas",
      keys: ["A"],
      possible: canAdd,
      run: () => quickAdd.setState({ at: freeMiddle(stage) }),
    },
  ],
};
