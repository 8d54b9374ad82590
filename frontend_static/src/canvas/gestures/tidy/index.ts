/**
 * Command: lay out the whole graph. This is one edit, so that one undo restores the old positions;
 * in a read-only graph it lasts until the page is closed.
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
