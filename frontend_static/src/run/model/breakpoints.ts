/**
 * Commands for breakpoints at the selected element. Breakpoints belong to a user and a pack. A new
 * run starts with them, and an active run is updated.
 */

import { session, type Command } from "../../session";
import { isFinished } from "./events";
import { runStore } from "./runStore";

/** The id of the single selected state or transition. */
function selectedId(): string | null {
  const [element, ...others] = session.state.selection;
  const id = /^(?:state|transition):(.+)$/s.exec(element ?? "")?.[1];
  return others.length === 0 && id ? id : null;
}

function isRunActive(): boolean {
  const { id, status } = runStore.store.getState();
  return id !== null && !isFinished(status);
}

/** The breakpoints with one added, or removed if it was set. */
export function withToggled(ids: Iterable<string>, id: string): string[] {
  const all = new Set(ids);
  if (!all.delete(id)) all.add(id);
  return [...all];
}

async function toggleBreakpoint(): Promise<void> {
  const id = selectedId();
  if (id === null) return;
  if (!isRunActive()) return session.setBreakpoints(withToggled(session.state.breakpoints, id));
  const breakpoints = withToggled(runStore.store.getState().head.breakpoints, id);
  if (!session.state.readOnly) session.setBreakpoints(breakpoints);
  await runStore.signal({ type: "breakpoints", breakpoints });
}

async function runUntil(): Promise<void> {
  const until = selectedId();
  if (until === null) return;
  const breakpoints = [...runStore.store.getState().head.breakpoints];
  await runStore.signal({ type: "breakpoints", breakpoints, until });
}

/** The breakpoints whose state or transition still exists in the pack. */
export function packBreakpoints(): string[] {
  const { breakpoints, fullGraph } = session.state;
  return [...breakpoints].filter((id) => fullGraph.states.has(id) || fullGraph.transitions.has(id));
}

export const BREAKPOINT_COMMANDS: Command[] = [
  {
    name: "run.breakpoint",
    title: "Set or clear a breakpoint here",
    group: "Run",
    keys: ["F9"],
    run: () => void toggleBreakpoint(),
    possible: () => selectedId() !== null && (isRunActive() || !session.state.readOnly),
  },
  {
    name: "run.until",
    title: "Run until here",
    group: "Run",
    keys: ["Shift+F9"],
    run: () => void runUntil(),
    possible: () => selectedId() !== null && isRunActive(),
  },
];
