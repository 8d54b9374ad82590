/** Commands: fit the whole graph or the selection into the viewport. */

import { commandEntry, session } from "../../../session";
import { union, type Rect } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

function selectionBounds(stage: Stage): Rect | null {
  const { scene } = stage;
  return union(
    [...session.state.selection].flatMap((element): Rect[] => {
      if (element.startsWith("state:")) return [scene.cards.get(element.slice(6)) ?? []].flat();
      const arrow = scene.arrows.get(element.slice("transition:".length));
      const ends = arrow ? [scene.cards.get(arrow.source), scene.cards.get(arrow.target)] : [];
      return ends.flatMap((card) => card ?? []);
    }),
  );
}

export const fitGesture: Gesture = {
  name: "fit",
  menu: ({ kind }) => (kind === "ground" ? commandEntry("fit", "view") : []),
  commands: (stage) => [
    {
      name: "fit",
      title: "Fit the whole graph",
      group: "View",
      keys: ["Shift+1", "F"],
      run: () => stage.fitAll(),
    },
    {
      name: "fit.selection",
      title: "Fit the selection",
      group: "View",
      keys: ["Shift+2"],
      possible: () => session.state.selection.size > 0,
      run: () => stage.fit(selectionBounds(stage), { most: 1.25 }),
    },
  ],
};
