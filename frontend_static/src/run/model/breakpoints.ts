/**
 * Where runs stop by themselves: set and taken away at what is selected. They are the person's own
 * for a pack, each run that is started takes them along, and one that goes on is told of changes.
 */

import { session, type Command } from "../../session";
import { isFinished } from "./events";
import { shownRun } from "./runStore";

/** The one state or transition that is selected, by its id. */
function chosen(): string | null {
  const [element, ...others] = session.state.selection;
  const id = /^(?:state|transition):(.+)$/s.exec(element ?? "")?.[1];
  return others.length === 0 && id ? id : null;
}

function goesOn(): boolean {
  const { id, status } = shownRun.store.get();
  return id !== null && !isFinished(status);
}

/** The breakpoints after one of them was set, or taken away where it was there. */
export function toggled(ids: Iterable<string>, id: string): string[] {
  const all = new Set(ids);
  if (!all.delete(id)) all.add(id);
  return [...all];
}

async function toggle(): Promise<void> {
  const id = chosen();
  if (id === null) return;
  if (!goesOn()) return session.stopAt(toggled(session.state.stops, id));
  const breakpoints = toggled(shownRun.store.get().head.breakpoints, id);
  if (!session.state.readOnly) session.stopAt(breakpoints);
  await shownRun.signal({ type: "breakpoints", breakpoints });
}

async function runUntil(): Promise<void> {
  const until = chosen();
  if (until === null) return;
  const breakpoints = [...shownRun.store.get().head.breakpoints];
  await shownRun.signal({ type: "breakpoints", breakpoints, until });
}

/** Those of the pack that stand at something it still has. */
export function stopsOfPack(): string[] {
  const { stops, whole } = session.state;
  return [...stops].filter((id) => whole.states.has(id) || whole.transitions.has(id));
}

export const BREAKPOINT_COMMANDS: Command[] = [
  {
    name: "run.breakpoint",
    title: "Set or clear a breakpoint here",
    group: "Run",
    keys: ["F9"],
    run: () => void toggle(),
    possible: () => chosen() !== null && (goesOn() || !session.state.readOnly),
  },
  {
    name: "run.until",
    title: "Run until here",
    group: "Run",
    keys: ["Shift+F9"],
    run: () => void runUntil(),
    possible: () => chosen() !== null && goesOn(),
  },
];
