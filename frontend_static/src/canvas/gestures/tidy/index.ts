/**
 * Command: lay out the whole graph. This is one edit, so that one undo restores the old positions;
 * in a read-only graph it lasts until the page is closed.
 */

import { commandEntry, session } from "../../../session";
import { layout } from "../../layout/client";
import { layoutTaskFor } from "../../layout/layoutTaskFor";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

async function tidyUp(stage: Stage): Promise<void> {
  const { graph } = session.state;
  stage.mode.setState({ layingOut: true });
  const { positions: placed, routes } = await layout(layoutTaskFor(graph));
  stage.mode.setState({ layingOut: false });
  if (session.state.graph.states.size !== graph.states.size) return;
  stage.scene.planRoutes(routes);
  stage.scene.movePreview(placed);
  stage.scene.reroute([]);
  const states = [...placed].filter(([id]) => graph.states.has(id));
  if (!session.state.readOnly) void session.edit(stage.moveEdits(states));
  stage.open();
}

export const tidyGesture: Gesture = {
  name: "tidy",
  menu: ({ kind }) => (kind === "ground" ? commandEntry("tidy", "view") : []),
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
