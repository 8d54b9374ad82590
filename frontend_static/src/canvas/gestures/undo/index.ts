/** Commands: undo and redo. The server carries them out. */

import { session } from "../../../session";
import type { Gesture } from "../gesture";

const isEditable = () => !session.state.readOnly;

export const undoGesture: Gesture = {
  name: "history",
  commands: () => [
    {
      name: "undo",
      title: "Undo",
      group: "Edit",
      keys: ["Ctrl+Z"],
      canvas: false,
      possible: () => isEditable() && (session.state.undo.can || session.state.unsent > 0),
      run: () => void session.undo(),
    },
    {
      name: "redo",
      title: "Redo",
      group: "Edit",
      keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
      canvas: false,
      possible: () => isEditable() && session.state.redo.can,
      run: () => void session.redo(),
    },
  ],
};
