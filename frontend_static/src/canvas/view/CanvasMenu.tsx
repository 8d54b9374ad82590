/**
 * The context menu of states, transitions and the ground. It opens with the right button, a long
 * press, or the keyboard's menu key on the selected element.
 */

import { useEffect, useState } from "react";
import {
  menuEntriesAt,
  registerCommands,
  session,
  type MenuEntry,
  type MenuPlace,
} from "../../session";
import { ContextMenu, type ContextMenuSection } from "../../ui/ContextMenu";
import { isOnCanvas } from "../gestures/hover";
import type { Stage } from "./stage";
import { useStage } from "./stageContext";

export function CanvasMenu() {
  const stage = useStage();
  const [place, setPlace] = useState<MenuPlace | null>(null);
  useEffect(() => {
    const open = (at: MenuPlace) => {
      if (menuEntriesAt(selected(at)).length) setPlace(at);
    };
    const { element } = stage;
    const onContextMenu = (event: MouseEvent) => {
      if (!isOnCanvas(event.target)) return;
      event.preventDefault();
      // The menu key is a command; some browsers send this event for it, too.
      if (isByKeyboard(event)) return;
      open(placeAt(stage, event.clientX, event.clientY));
    };
    element?.addEventListener("contextmenu", onContextMenu);
    stage.openMenu = (x, y) => open(placeAt(stage, x, y));
    const unregister = registerCommands([
      {
        name: "menu",
        title: "Open the menu of the selection",
        group: "Canvas",
        keys: ["Shift+F10", "ContextMenu"],
        canvas: true,
        run: () => open(placeOfSelection(stage)),
      },
    ]);
    return () => {
      element?.removeEventListener("contextmenu", onContextMenu);
      stage.openMenu = () => undefined;
      unregister();
    };
  }, [stage]);
  if (!place) return null;
  const close = () => {
    setPlace(null);
    stage.element?.focus({ preventScroll: true });
  };
  return (
    <ContextMenu
      key={`${place.x} ${place.y} ${place.id}`}
      x={place.x}
      y={place.y}
      label={`Actions for ${place.kind === "ground" ? "the canvas" : place.id}`}
      sections={inSections(menuEntriesAt(place))}
      close={close}
    />
  );
}

/** Without a pressed button, and not by a long press, in which case the pointer is a touch. */
const isByKeyboard = (event: MouseEvent): boolean =>
  event.button !== 2 && !(event instanceof PointerEvent && event.pointerType === "touch");

function placeAt(stage: Stage, x: number, y: number): MenuPlace {
  const hit = stage.hitTest(x, y);
  if (hit.kind === "state") return { kind: "state", id: hit.id, x, y };
  if (hit.kind === "port") return { kind: "state", id: hit.state, x, y };
  if (hit.kind === "transition") return { kind: "transition", id: hit.id, x, y };
  if (hit.kind === "end") return { kind: "transition", id: hit.transition, x, y };
  return { kind: "ground", id: "", x, y };
}

/** The middle of the selected element, or of the canvas. */
function placeOfSelection(stage: Stage): MenuPlace {
  const { element } = session.state;
  const id = element.slice(element.indexOf(":") + 1);
  const card = element.startsWith("state:") ? stage.scene.cards.get(id) : undefined;
  if (card) {
    const at = stage.toPage({ x: card.x + card.w / 2, y: card.y + card.h / 2 });
    return { kind: "state", id, ...at };
  }
  const route = element.startsWith("transition:") ? stage.scene.route(id) : undefined;
  if (route) return { kind: "transition", id, ...stage.toPage(route.label) };
  return { kind: "ground", id: "", ...stage.toPage(stage.center()) };
}

/** Select the element of the menu, unless it is part of the selection already. */
function selected(place: MenuPlace): MenuPlace {
  const element = place.kind === "ground" ? null : `${place.kind}:${place.id}`;
  if (element) {
    const { selection } = session.state;
    session.select(selection.has(element) ? selection : [element], element);
  }
  return place;
}

function inSections(entries: readonly MenuEntry[]): ContextMenuSection[] {
  return [...new Set(entries.map((entry) => entry.group))].map((name) => ({
    name,
    row: name === "align",
    items: entries.filter((entry) => entry.group === name),
  }));
}
