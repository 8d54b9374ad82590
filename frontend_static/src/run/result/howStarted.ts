/** The start of a run as names and values. Pure. */

import type { Run } from "../../session";
import { text, type RunEvent } from "../model/events";
import { shortValue } from "../log/eventLine";

type Origin = Pick<Run, "owner" | "source" | "trigger_name" | "revision" | "driver">;

interface Binding {
  kind?: string;
  ask?: boolean;
}

/** `started`: the first event. Those of older releases lack what the run's row has. */
export function howStarted(started: RunEvent, run: Origin): [name: string, value: string][] {
  const commit = text(started, "commit").slice(0, 12);
  const calls = run.driver === "model";
  const facts: [string, string][] = [
    ["Started by", text(started, "by") || run.owner || "unknown user"],
    ["How", origin(started, run)],
    ["Revision", [`r${run.revision}`, commit && `commit ${commit}`].filter(Boolean).join(", ")],
    ["Answers", calls ? "from models" : run.driver],
    ["Connection", text(started, "connection")],
    ["Model", text(started, "model")],
    ["Limits", pairs(started.budget)],
    ["Commands", "commands" in started ? (started.commands ? "allowed" : "not allowed") : ""],
    ["Tools", bindings(started.bindings)],
    ["Mode", text(started, "mode").toLowerCase()],
  ];
  if (calls && !started.budget) facts[6]![1] = "those of the pack";
  return facts.filter(([, value]) => value);
}

function origin(started: RunEvent, { source, trigger_name: trigger }: Origin): string {
  const name = text(started, "trigger") || trigger;
  const forked = started.forked_from ? ", as a fork" : "";
  const chat = text(started, "started_by") === "chat" ? ", for a chat" : "";
  switch (source) {
    case "person":
      return `in the browser${chat}${forked}`;
    case "api":
      return `through the API${chat}${forked}`;
    default:
      return `by the ${source}${name && ` ${name}`}`;
  }
}

function pairs(limits: unknown): string {
  return Object.entries((limits as Record<string, unknown> | undefined) ?? {})
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${shortValue(value)}`)
    .join(", ");
}

function bindings(tools: unknown): string {
  return Object.entries((tools as Record<string, Binding> | undefined) ?? {})
    .map(([name, { kind = "", ask }]) => `${name}: ${kind}${ask ? ", asks first" : ""}`)
    .join("; ");
}
