/**
 * Lay the whole graph out anew. One edit, so one undo brings the old places back; where a graph is
 * shown to look at only, it stays so until the page is left.
 */

import { session } from "../../../session";
import { layout } from "../../layout/client";
import { layoutTaskFor } from "../../layout/syncScene";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

async function tidyUp(stage: Stage): Promise<void> {
  const { graph } = session.state;
  stage.mode.set({ layingOut: true });
  const placed = await layout(layoutTaskFor(graph));
  stage.mode.set({ layingOut: false });
  if (session.state.graph.states.size !== graph.states.size) return;
  stage.scene.movePreview(placed);
  const states = [...placed].filter(([id]) => graph.states.has(id));
  if (!session.state.readOnly) void session.edit(stage.moveEdits(states));
  stage.fit(stage.scene.bounds());
}

export const tidyGesture: Gesture = {
  name: "tidy",
  commands: (stage) => [
    {
      name: "tidy",
      title: "Tidy up",
      group: "Canvas",
      keys: ["Shift+L"],
      possible: () => session.state.graph.states.size > 0,
      run: () => void tidyUp(stage),
    },
  ],
};
