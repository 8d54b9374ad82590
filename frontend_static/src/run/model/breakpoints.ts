/**
 * Where runs stop by themselves: set and taken away at what is selected. They are the person's own
 * for a pack, each run that is started takes them along, and one that goes on is told of changes.
 */

import { session, type Command } from "../../session";
import { isFinished } from "./events";
import { runStore } from "./runStore";

/** The one state or transition that is selected, by its id. */
function selectedId(): string | null {
  const [element, ...others] = session.state.selection;
  const id = /^(?:state|transition):(.+)$/s.exec(element ?? "")?.[1];
  return others.length === 0 && id ? id : null;
}

function isRunActive(): boolean {
  const { id, status } = runStore.store.get();
  return id !== null && !isFinished(status);
}

/** The breakpoints after one of them was set, or taken away where it was there. */
export function withToggled(ids: Iterable<string>, id: string): string[] {
  const all = new Set(ids);
  if (!all.delete(id)) all.add(id);
  return [...all];
}

async function toggleBreakpoint(): Promise<void> {
  const id = selectedId();
  if (id === null) return;
  if (!isRunActive()) return session.setBreakpoints(withToggled(session.state.breakpoints, id));
  const breakpoints = withToggled(runStore.store.get().head.breakpoints, id);
  if (!session.state.readOnly) session.setBreakpoints(breakpoints);
  await runStore.signal({ type: "breakpoints", breakpoints });
}

async function runUntil(): Promise<void> {
  const until = selectedId();
  if (until === null) return;
  const breakpoints = [...runStore.store.get().head.breakpoints];
  await runStore.signal({ type: "breakpoints", breakpoints, until });
}

/** Those of the pack that stand at something it still has. */
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
