/** Commands: zoom in, zoom out and actual size. The wheel pans; React Flow zooms on
 * pinching and Ctrl+wheel. */

import type { Gesture } from "../gesture";

const STEP = 1.25;

export const zoomGesture: Gesture = {
  name: "zoom",
  commands: (stage) => [
    {
      name: "zoom.in",
      title: "Zoom in",
      group: "View",
      keys: ["+", "=", "Ctrl++", "Ctrl+="],
      run: () => stage.zoomBy(STEP),
    },
    {
      name: "zoom.out",
      title: "Zoom out",
      group: "View",
      keys: ["-", "Ctrl+-"],
      run: () => stage.zoomBy(1 / STEP),
    },
    {
      name: "zoom.actual",
      title: "Actual size",
      group: "View",
      keys: ["0", "Ctrl+0"],
      run: () => stage.zoomBy(1 / stage.view.getState().zoom),
    },
  ],
};
