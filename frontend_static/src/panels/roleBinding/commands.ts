import { useEffect } from "react";
import { register, session, type Command } from "../../session";
import { binding, boundable } from "./roleBinding";

const COMMANDS: Command[] = [
  {
    name: "bind-role",
    title: "Bind to a role…",
    group: "Edit",
    keys: ["B"],
    run: () => binding.set({ states: boundable() }),
    possible: () => session.state.phase === "ready" && !session.state.readOnly && boundable().length > 0,
  },
];

export function useWorkCommands(): void {
  useEffect(() => register(COMMANDS), []);
}
