/** Command: let runs start at the selected state. */

import { commandEntry, session } from "../../../session";
import type { Gesture } from "../gesture";

/** The selected state, if it can become the entry: it takes arrows, and a run does not end there. */
function candidate(): string | null {
  const [only, ...more] = session.state.selection;
  if (!only?.startsWith("state:") || more.length) return null;
  const { graph, level } = session.state;
  const state = graph.states.get(only.slice(6));
  if (!state || state.stateless || state.terminal) return null;
  if (graph.entries.some((entry) => entry.state === state.id)) return null;
  return level !== "" && follows(state.id) ? null : state.id;
}

/** The first step of a composition follows no other step. */
const follows = (id: string): boolean =>
  [...session.state.graph.transitions.values()].some(
    (arrow) => arrow.target === id && (arrow.label !== "" || arrow.kind === "fork"),
  );

export const entryGesture: Gesture = {
  name: "entry",
  menu: ({ kind }) =>
    kind === "state" ? commandEntry("entry", "change", { title: "Make entry" }) : [],
  commands: () => [
    {
      name: "entry",
      title: "Make the selected state the entry",
      group: "Edit",
      keys: ["Shift+S"],
      possible: () => !session.state.readOnly && candidate() !== null,
      run: () => {
        const id = candidate();
        if (id !== null) void session.edit([{ type: "set_entry", id }]);
      },
    },
  ],
};
