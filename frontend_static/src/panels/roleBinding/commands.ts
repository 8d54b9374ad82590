import { useEffect } from "react";
import { registerCommands, session, type Command } from "../../session";
import { bindDialog, bindableStates } from "./roleBinding";

const COMMANDS: Command[] = [
  {
    name: "bind-role",
    title: "Bind to a role…",
    group: "Edit",
    keys: ["B"],
    canvas: true,
    run: () => bindDialog.setState({ states: bindableStates() }),
    possible: () =>
      session.state.phase === "ready" && !session.state.readOnly && bindableStates().length > 0,
  },
];

export function useBindCommands(): void {
  useEffect(() => registerCommands(COMMANDS), []);
}
