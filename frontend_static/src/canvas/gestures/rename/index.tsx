/**
 * Gesture: name a state or a transition in place. A new state asks for its name at once; others
 * with F2, Enter or a double click.
 */

import { useEffect, useReducer } from "react";
import { createStore, useStore } from "zustand";
import {
  commandEntry,
  dropDraft,
  idPrefix,
  keepDraft,
  session,
  shortId,
  useSession,
  type Offer,
} from "../../../session";
import { fitsPattern, nearestName } from "../../../ui/names";
import type { Rect } from "../../scene/geometry";
import { pillWidth } from "../../scene/cardSizes";
import type { NameProblem } from "../../view/NameHint";
import { stateNameProblem } from "../../view/stateNames";
import { useStage } from "../../view/stageContext";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";
import { NameField } from "./NameField";
import { useRequest } from "../../../ui/useRequest";

const renameBox = createStore<{ element: string | null }>(() => ({ element: null }));

function begin(element: string): void {
  if (!session.state.readOnly) renameBox.setState({ element });
}

function rename(element: string, name: string): void {
  if (element.startsWith("state:")) {
    const id = element.slice(6);
    const newId = `${idPrefix(session.state.level)}${name}`;
    void session.edit([{ type: "rename_state", id, new_id: newId }]);
    session.select([`state:${newId}`]);
    return;
  }
  const arrow = session.state.graph.transitions.get(element.slice("transition:".length));
  if (!arrow) return;
  void session.edit([{ type: "relabel", transition: arrow.id, label: name }]);
  session.select([`transition:${arrow.source}|${name}|${arrow.target}`]);
}

function placeOf(stage: Stage, element: string): { rect: Rect; text: string } | null {
  if (element.startsWith("state:")) {
    const card = stage.scene.cards.get(element.slice(6));
    return card
      ? {
          rect: { x: card.x + 30, y: card.y + 3, w: card.w - 36, h: 28 },
          text: shortId(card.id, session.state.level),
        }
      : null;
  }
  const arrow = stage.scene.arrows.get(element.slice("transition:".length));
  const route = arrow && stage.scene.route(arrow.id);
  if (!arrow || !route) return null;
  const w = Math.max(120, pillWidth(arrow.label) + 24);
  return { rect: { x: route.label.x - w / 2, y: route.label.y - 14, w, h: 28 }, text: arrow.label };
}

/** A place for the field while the layout has not placed the card yet, so that no key is lost. */
function placeMeanwhile(stage: Stage, element: string): { rect: Rect; text: string } {
  const { x, y } = stage.center();
  const text = shortId(element.slice(element.indexOf(":") + 1), session.state.level);
  return { rect: { x: x - 90, y: y - 14, w: 180, h: 28 }, text };
}

function Layer() {
  const stage = useStage();
  const draft = useSession((state) => state.draft);
  const renamed = useStore(renameBox, (state) => state.element);
  const element = draft ? `state:${draft.id}` : renamed;
  const { x, y, zoom } = useStore(stage.view, (view) => view);
  useSceneChanges(stage);
  const problemOf = useProblemOf(draft ? null : element);
  if (!element) return null;
  const input = placeOf(stage, element) ?? (draft ? placeMeanwhile(stage, element) : null);
  if (!input) return null;
  const { rect, text } = input;
  const done = (name: string | null, byKey: boolean) => {
    if (draft) finishDraft(name, byKey);
    else {
      renameBox.setState({ element: null });
      if (name && name !== text) rename(element, name);
    }
    if (byKey) stage.element?.focus({ preventScroll: true });
  };
  return (
    <div
      className="rename"
      style={{
        left: rect.x * zoom + x,
        top: rect.y * zoom + y,
        width: Math.max(120, rect.w * zoom),
      }}
    >
      <NameField
        key={element}
        label={`New name for ${text}`}
        text={text}
        problemOf={problemOf}
        onDone={done}
      />
    </div>
  );
}

/** Escape removes the new state. A click elsewhere keeps it. */
function finishDraft(name: string | null, byKey: boolean): void {
  if (name !== null) keepDraft(`${idPrefix(session.state.level)}${name}`);
  else if (byKey) dropDraft();
  else keepDraft();
}

/** Draw the field again whenever cards or arrows move. */
function useSceneChanges(stage: Stage): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => stage.scene.subscribe(redraw), [stage]);
}

/** The check of names for a state, or of labels with the pattern that the server offers. */
function useProblemOf(element: string | null): (name: string) => NameProblem | null {
  const arrow = element?.startsWith("transition:") ? element.slice("transition:".length) : null;
  const source = arrow === null ? undefined : session.state.graph.transitions.get(arrow)?.source;
  const { value, stale } = useRequest(source === undefined ? null : [arrow], () =>
    session.fetchOffers(source!),
  );
  const any = (!stale && value?.find((offer) => offer.label === "")) || null;
  if (arrow === null) {
    const own = element?.startsWith("state:") ? element.slice(6) : (session.state.draft?.id ?? "");
    return (name) => stateNameProblem(name, own);
  }
  return (name) => labelProblem(name, any);
}

function labelProblem(name: string, any: Offer | null): NameProblem | null {
  if (!name.trim()) return { text: "An arrow needs a label.", nearest: "" };
  const pattern = any?.pattern ?? "";
  if (fitsPattern(name.trim(), pattern)) return null;
  const text = any?.rule || `A name must match ${pattern}.`;
  return { text, nearest: nearestName(name, pattern) };
}

const single = (): string | null => {
  const [only, ...more] = session.state.selection;
  return only !== undefined && !more.length ? only : null;
};

export const renameGesture: Gesture = {
  name: "rename",
  doubleClick({ hit }) {
    // A state with a level inside opens on double click instead.
    if (hit.kind === "state" && !session.state.graph.states.get(hit.id)?.inside)
      begin(`state:${hit.id}`);
    if (hit.kind === "transition") begin(`transition:${hit.id}`);
  },
  Layer,
  menu({ kind, id }) {
    if (kind === "state") return commandEntry("rename", "change", { title: "Rename" });
    const label = session.state.graph.transitions.get(id)?.label;
    return label ? commandEntry("rename", "change", { title: "Rename event" }) : [];
  },
  commands: () => [
    {
      name: "rename",
      title: "Rename the selected state or arrow",
      group: "Edit",
      keys: ["F2", "Enter"],
      possible: () => !session.state.readOnly && single() !== null,
      run: () => {
        const element = single();
        if (element) begin(element);
      },
    },
  ],
};
