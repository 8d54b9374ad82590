/** Commands: align and distribute the selected states. Each is one edit. */

import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  type LucideIcon,
} from "lucide-react";
import { commandEntry, session } from "../../../session";
import { arranged, type Alignment, type Distribution } from "../../scene/arrange";
import type { Card } from "../../scene/card";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

interface Arrangement {
  how: Alignment | Distribution;
  title: string;
  key: string;
  Icon: LucideIcon;
  /** The least number of states. */
  least: number;
}

const ARRANGEMENTS: readonly Arrangement[] = [
  { how: "left", title: "Align left", key: "Alt+A", Icon: AlignStartVertical, least: 2 },
  { how: "center", title: "Align centres", key: "Alt+H", Icon: AlignCenterVertical, least: 2 },
  { how: "right", title: "Align right", key: "Alt+D", Icon: AlignEndVertical, least: 2 },
  { how: "top", title: "Align top", key: "Alt+W", Icon: AlignStartHorizontal, least: 2 },
  { how: "middle", title: "Align middles", key: "Alt+V", Icon: AlignCenterHorizontal, least: 2 },
  { how: "bottom", title: "Align bottom", key: "Alt+S", Icon: AlignEndHorizontal, least: 2 },
  {
    how: "horizontally",
    title: "Distribute horizontally",
    key: "Alt+Shift+H",
    Icon: AlignHorizontalDistributeCenter,
    least: 3,
  },
  {
    how: "vertically",
    title: "Distribute vertically",
    key: "Alt+Shift+V",
    Icon: AlignVerticalDistributeCenter,
    least: 3,
  },
];

function selectedCards(stage: Stage): Map<string, Card> {
  const cards = [...session.state.selection].flatMap((element) => {
    const card = element.startsWith("state:") ? stage.scene.cards.get(element.slice(6)) : undefined;
    return card?.state ? [card] : [];
  });
  return new Map(cards.map((card) => [card.id, card]));
}

function arrange(stage: Stage, how: Arrangement["how"]): void {
  const cards = selectedCards(stage);
  const places = arranged(cards, how);
  const rects = [...cards].map(([id, card]) => ({ ...card, ...places.get(id) }));
  // Together they go to the nearest place where they cover no other card.
  const by = stage.scene.shiftToFree(rects, new Set(cards.keys()));
  const moved = rects.map(({ id, x, y }) => [id, { x: x + by.x, y: y + by.y }] as const);
  stage.scene.movePreview(moved);
  const after = rects.map((rect) => ({ ...rect, x: rect.x + by.x, y: rect.y + by.y }));
  stage.scene.reroute([...cards.values(), ...after]);
  void session.edit(stage.moveEdits(moved));
}

const nameOf = ({ how, least }: Arrangement) => (least > 2 ? `distribute.${how}` : `align.${how}`);

export const arrangeGesture: Gesture = {
  name: "arrange",
  menu: ({ kind }) =>
    kind === "state"
      ? ARRANGEMENTS.flatMap((one) =>
          commandEntry(nameOf(one), "align", { icon: <one.Icon size={16} aria-hidden /> }),
        )
      : [],
  commands: (stage) =>
    ARRANGEMENTS.map((one) => ({
      name: nameOf(one),
      title: one.title,
      group: "Canvas",
      keys: [one.key],
      possible: () =>
        !session.state.readOnly &&
        session.state.selection.size >= one.least &&
        selectedCards(stage).size >= one.least,
      run: () => arrange(stage, one.how),
    })),
};
