import { RunContextMenu } from "../run";
import { panels } from "./panelState";

/** The context menu of the shown run; its visits are shown in the inspector. */
export function RunMenuOnCanvas() {
  return <RunContextMenu showInspector={() => panels.set({ inspector: true })} />;
}
