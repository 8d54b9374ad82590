/** Command: delete the selected transitions and states. */

import { commandEntry, session, type Edit } from "../../../session";
import type { Gesture } from "../gesture";

/** The edits that delete a selection. A transition of a deleted state needs no edit of its own. */
function removalEdits(selection: Iterable<string>): Edit[] {
  const { graph } = session.state;
  const elements = [...selection];
  const states = new Set(
    elements.filter((one) => one.startsWith("state:")).map((one) => one.slice(6)),
  );
  const edits: Edit[] = [];
  for (const element of elements) {
    const id = element.startsWith("transition:") ? element.slice(11) : null;
    const arrow = id === null ? null : graph.transitions.get(id);
    if (arrow && !states.has(arrow.source) && !states.has(arrow.target))
      edits.push({ type: "disconnect", transition: arrow.id });
  }
  for (const id of states) {
    // States inside the frame of a deleted state are deleted with it.
    const frame = graph.states.get(id)?.group;
    if (graph.states.has(id) && !(frame && states.has(frame)))
      edits.push({ type: "remove_state", id });
  }
  return edits;
}

function remove(): void {
  const edits = removalEdits(session.state.selection);
  if (!edits.length) return;
  session.select([]);
  void session.edit(edits);
}

export const removeGesture: Gesture = {
  name: "remove",
  menu({ kind }) {
    if (kind === "ground") return [];
    const { size } = session.state.selection;
    return commandEntry("remove", "remove", { title: size > 1 ? "Delete all selected" : "Delete" });
  },
  commands: () => [
    {
      name: "remove",
      title: "Delete the selection",
      group: "Edit",
      keys: ["Delete", "Backspace"],
      possible: () => !session.state.readOnly && session.state.selection.size > 0,
      run: remove,
    },
  ],
};
