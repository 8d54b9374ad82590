/** The entries of the canvas's context menu while a run is shown, and breakpoints without one. */

import { commandEntry, session, type MenuEntry, type MenuPlace } from "../../session";
import { isFinished } from "../model/events";
import type { Waiting } from "../model/fold";
import { runStore } from "../model/runStore";

/** `showInspector` opens the pane that shows visits. */
export function runMenuEntries({ kind, id }: MenuPlace, showInspector: () => void): MenuEntry[] {
  if (kind === "ground" || session.state.selection.size > 1) return [];
  const run = runStore.store.getState();
  const ids = run.id === null ? session.state.breakpoints : new Set(run.head.breakpoints);
  const over = run.id !== null && isFinished(run.status);
  const title = ids.has(id) ? "Clear the breakpoint" : "Set a breakpoint";
  if (run.id === null) return commandEntry("run.breakpoint", "run", { title });
  const entries = [
    ...offered("run.breakpoint", title, "F9", over),
    ...offered("run.until", "Run until here", "Shift+F9", over),
  ];
  return kind === "transition" ? entries : [...entries, ...ofVisits(id, showInspector)];
}

/** A command that stays in the menu of a finished run, so that the menu keeps its form. */
function offered(name: string, title: string, keys: string, over: boolean): MenuEntry[] {
  if (!over) return commandEntry(name, "run", { title });
  return [{ id: name, title, keys, group: "run", disabled: true, run: () => undefined }];
}

function ofVisits(id: string, run: () => void): MenuEntry[] {
  const { view } = runStore.store.getState();
  const waiting = Object.values(view.waiting).filter((one) => one.state === id);
  const visits = view.visits[id] ?? 0;
  return [
    {
      id: "run.waits",
      title: waiting.length > 0 ? waitingText(waiting) : "Waits for nothing",
      group: "run",
      disabled: waiting.length === 0,
      run,
    },
    {
      id: "run.visits",
      title: visits === 1 ? "Open its visit" : `Open its ${visits} visits`,
      group: "run",
      disabled: visits === 0,
      run,
    },
  ];
}

const WAITS_FOR: Readonly<Record<Waiting["for"], string>> = {
  model: "a model",
  tool: "a tool",
  command: "a command",
  person: "a person",
  event: "an event",
  time: "its time",
};

function waitingText(waiting: readonly Waiting[]): string {
  const names = [...new Set(waiting.map((one) => WAITS_FOR[one.for]))];
  return `Waits for ${names.join(" and ")}`;
}
