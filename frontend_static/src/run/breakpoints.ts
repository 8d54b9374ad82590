/** Where a run stops by itself: set and taken away at what is selected, while a run is shown. */

import { session, type Command } from "../session";
import { isFinished } from "./events";
import { shownRun } from "./shown";

/** The one state or transition that is selected, by its id. */
function chosen(): string | null {
  const [element, ...others] = session.state.selection;
  const id = /^(?:state|transition):(.+)$/s.exec(element ?? "")?.[1];
  return others.length === 0 && id ? id : null;
}

function possible(): boolean {
  const { id, status } = shownRun.store.get();
  return id !== null && !isFinished(status) && chosen() !== null;
}

/** The breakpoints after one of them was set, or taken away where it was there. */
export function toggled(ids: readonly string[], id: string): string[] {
  return ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
}

async function toggle(): Promise<void> {
  const id = chosen();
  if (id === null) return;
  const breakpoints = toggled(shownRun.store.get().head.breakpoints, id);
  await shownRun.signal({ type: "breakpoints", breakpoints });
}

async function runUntil(): Promise<void> {
  const until = chosen();
  if (until === null) return;
  const breakpoints = [...shownRun.store.get().head.breakpoints];
  await shownRun.signal({ type: "breakpoints", breakpoints, until });
}

export const BREAKPOINT_COMMANDS: Command[] = [
  { name: "run.breakpoint", title: "Set or clear a breakpoint here", group: "Run", keys: ["F9"], run: () => void toggle(), possible },
  { name: "run.until", title: "Run until here", group: "Run", keys: ["Shift+F9"], run: () => void runUntil(), possible },
];
