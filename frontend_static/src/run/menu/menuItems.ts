/** The items of the context menu of a state or transition in a run. Pure. */

import { isFinished } from "../model/events";
import type { RunView, Waiting } from "../model/fold";

export interface RunMenuItem {
  id: "breakpoint" | "until" | "waits" | "visits";
  title: string;
  keys?: string;
  /** The command that it runs on the selection. */
  command?: string;
  disabled: boolean;
}

interface Place {
  kind: "state" | "transition";
  id: string;
  head: RunView;
  view: RunView;
  status: string;
}

export function menuItems({ kind, id, head, view, status }: Place): RunMenuItem[] {
  const over = isFinished(status);
  const isSet = head.breakpoints.includes(id);
  const items: RunMenuItem[] = [
    {
      id: "breakpoint",
      title: isSet ? "Clear the breakpoint" : "Set a breakpoint",
      keys: "F9",
      command: "run.breakpoint",
      disabled: over,
    },
    {
      id: "until",
      title: "Run until here",
      keys: "Shift+F9",
      command: "run.until",
      disabled: over,
    },
  ];
  if (kind === "transition") return items;
  const waiting = Object.values(view.waiting).filter((one) => one.state === id);
  const visits = view.visits[id] ?? 0;
  return [
    ...items,
    {
      id: "waits",
      title: waiting.length > 0 ? waitingText(waiting) : "Waits for nothing",
      disabled: waiting.length === 0,
    },
    {
      id: "visits",
      title: visits === 1 ? "Open its visit" : `Open its ${visits} visits`,
      disabled: visits === 0,
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
