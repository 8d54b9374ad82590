/** Gesture: rename a state or a transition in place, with F2, Enter or a double click. */

import { useEffect, useRef, useState } from "react";
import { createStore, useStore } from "../../../ui/store";
import { idPrefix, session, shortId } from "../../../session";
import type { Rect } from "../../scene/geometry";
import { pillWidth } from "../../scene/cardSizes";
import { useStage } from "../../view/stageContext";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

const renameBox = createStore<{ element: string | null }>({ element: null });

function begin(element: string): void {
  if (!session.state.readOnly) renameBox.set({ element });
}

function rename(element: string, name: string): void {
  if (element.startsWith("state:")) {
    const id = element.slice(6);
    const newId = `${idPrefix(session.state.level)}${name}`;
    if (session.state.fullGraph.states.has(newId)) {
      session.notify(`There is a state “${name}” already.`, "warning");
      return;
    }
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

function Layer() {
  const stage = useStage();
  const element = useStore(renameBox, (state) => state.element);
  const { x, y, zoom } = useStore(stage.view, (view) => view);
  const input = element ? placeOf(stage, element) : null;
  if (!element || !input) return null;
  const { rect, text } = input;
  return (
    <div
      className="rename"
      style={{
        left: rect.x * zoom + x,
        top: rect.y * zoom + y,
        width: Math.max(120, rect.w * zoom),
      }}
    >
      <Input key={element} element={element} text={text} stage={stage} />
    </div>
  );
}

function Input({ element, text, stage }: { element: string; text: string; stage: Stage }) {
  const [name, setName] = useState(text);
  const place = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => place.current?.select(), []);
  const finish = (keep: boolean) => {
    if (done.current) return;
    done.current = true;
    renameBox.set({ element: null });
    stage.element?.focus({ preventScroll: true });
    const newName = name.trim();
    if (keep && newName && newName !== text) rename(element, newName);
  };
  return (
    <input
      ref={place}
      autoFocus
      aria-label={`New name for ${text}`}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") finish(true);
        if (event.key === "Escape") finish(false);
      }}
    />
  );
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
