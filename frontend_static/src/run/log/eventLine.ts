/** An event as a line of the run log. */

import { AGENT_EVENTS } from "./agentEventLine";
import { text, type RunEvent } from "../model/events";

export type Tone = "plain" | "quiet" | "good" | "bad" | "wait";

export interface EventLine {
  /** A short label for the type of event, for the first column. */
  what: string;
  detail: string;
  tone: Tone;
}

type Describe = (event: RunEvent) => EventLine;

const line = (what: string, detail: string, tone: Tone = "plain"): EventLine => ({
  what,
  detail,
  tone,
});

const DESCRIPTIONS: Readonly<Record<string, Describe>> = {
  "run.started": (event) => line("started", driverText(event), "good"),
  "state.entered": (event) => line("enter", visitText(event)),
  "state.left": (event) => line("leave", text(event, "state"), "quiet"),
  "prompt.logged": (event) => line("prompt", firstLine(text(event, "text")), "quiet"),
  "model.asked": (event) => line("ask model", text(event, "state"), "quiet"),
  "model.replied": replyLine,
  "tool.called": (event) =>
    line("call tool", `${text(event, "name")}(${shortValue(event.arguments)})`),
  "tool.returned": (event) =>
    text(event, "error")
      ? line("tool failed", text(event, "error"), "bad")
      : line("tool", shortValue(event.result), "quiet"),
  "command.asked": (event) => line("command", commandText(event), "quiet"),
  "command.finished": (event) =>
    line("command", `exit ${shortValue(event.exit)}`, event.exit === 0 ? "good" : "bad"),
  "check.passed": (event) => line("check", `${text(event, "name")} passed`, "good"),
  "check.failed": (event) =>
    line("check", joinParts(`${text(event, "name")} failed`, text(event, "message")), "bad"),
  "intent.read": (event) =>
    line("intent", joinParts(text(event, "intent"), shortValue(event.value))),
  "artifact.set": (event) => line("keep", `${text(event, "name")} = ${shortValue(event.value)}`),
  "approval.asked": (event) => line("ask person", firstLine(text(event, "question")), "wait"),
  "approval.given": (event) => line("answered", answerText(event), "good"),
  "transition.taken": transitionLine,
  "promptpack.eval": evalLine,
  "role.gate": (event) => line("gate", text(event, "state"), "quiet"),
  "role.memory": (event) => line("memory", text(event, "state"), "quiet"),
  "role.verdict": verdictLine,
  ...AGENT_EVENTS,
  "run.told": (event) => line("word", `to ${text(event, "state")}: ${text(event, "text")}`, "wait"),
  "run.fired": (event) =>
    line("event", joinParts(text(event, "event"), text(event, "state")), "wait"),
  "effect.dropped": (event) => line("dropped", text(event, "state"), "quiet"),
  "run.paused": pauseLine,
  "run.resumed": () => line("resumed", ""),
  "run.breakpoints": (event) =>
    line(
      "breakpoints",
      text(event, "until") ? `on to ${text(event, "until")}` : shortValue(event.ids),
      "quiet",
    ),
  "run.waiting": (event) =>
    line("waiting", joinParts(`for ${text(event, "for")}`, text(event, "state")), "wait"),
  "run.finished": (event) =>
    line(
      "finished",
      joinParts(text(event, "status"), text(event, "reason")),
      text(event, "status") === "completed" ? "good" : "bad",
    ),
};

const BOOKKEEPING: ReadonlySet<string> = new Set([
  "n",
  "at",
  "type",
  "position",
  "state",
  "effect",
  "memory",
  "run_memory",
  "audit",
  "stageId",
  "stageExecutionId",
  "parentCompoundTurnId",
]);

/** The log line of an event. Event types without a line of their own list their plain fields. */
export function eventLine(event: RunEvent): EventLine {
  const describer = DESCRIPTIONS[event.type];
  if (describer) return describer(event);
  const rest = Object.entries(event)
    .filter(([field]) => !BOOKKEEPING.has(field))
    .map(([field, value]) => `${field} ${shortValue(value)}`);
  return line(event.type.slice(event.type.indexOf(".") + 1), rest.join(" · "), "quiet");
}

/** The state of an event; "" if it has none. */
export function eventState(event: RunEvent): string {
  return text(event, "state") || text(event, "target");
}

function replyLine(event: RunEvent): EventLine {
  if (text(event, "error")) return line("reply failed", text(event, "error"), "bad");
  const calls = Array.isArray(event.tool_calls) ? event.tool_calls : [];
  if (calls.length > 0) {
    const names = calls.map((call) => String((call as Record<string, unknown>).name ?? "?"));
    return line("reply", `calls ${names.join(", ")}`);
  }
  const reply = event.structured ?? event.text;
  return line(
    event.late ? "late reply" : "reply",
    shortValue(reply),
    event.late ? "quiet" : "plain",
  );
}

function verdictLine(event: RunEvent): EventLine {
  const takes = text(event, "takes");
  const outcome = takes ? `takes ${takes}` : "requested again";
  const tone = text(event, "follow") === "pass" ? "good" : takes ? "bad" : "wait";
  return line(
    "verdict",
    joinParts(text(event, "verdict"), outcome, text(event, "reasoning")),
    tone,
  );
}

function evalLine(event: RunEvent): EventLine {
  const id = text(event, "id");
  if (event.skipped)
    return line("eval", joinParts(`${id} left out`, text(event, "reason")), "quiet");
  const score = event.score === undefined ? "" : `score ${shortValue(event.score)}`;
  const detail = joinParts(
    `${id} ${event.passed ? "passed" : "failed"}`,
    score,
    text(event, "message"),
  );
  return line("eval", detail, event.passed ? "good" : "bad");
}

/**
 * A pause with a position but no reason: the run is paused already, and this position has stopped
 * before its next request.
 */
function pauseLine(event: RunEvent): EventLine {
  const reason = text(event, "reason");
  if (reason || !text(event, "position")) return line("paused", reason, "wait");
  return line("held", `${text(event, "state")} waits for the run to continue`, "quiet");
}

function transitionLine(event: RunEvent): EventLine {
  const path = `${text(event, "source")} —${text(event, "label") || "·"}→ ${text(event, "target")}`;
  if (!event.redirected) return line("take", path);
  const instead = text(event, "original_target");
  return line(
    "take",
    joinParts(path, instead ? `instead of ${instead}` : "redirected", text(event, "reason")),
    "wait",
  );
}

function driverText(event: RunEvent): string {
  const driver = text(event, "driver");
  const inputs = Object.keys((event.inputs as object | undefined) ?? {});
  return joinParts(
    driver && `driver ${driver}`,
    inputs.length > 0 ? `inputs ${inputs.join(", ")}` : "",
  );
}

function visitText(event: RunEvent): string {
  const visit = typeof event.visit === "number" && event.visit > 1 ? `visit ${event.visit}` : "";
  return joinParts(text(event, "state"), visit, event.terminal ? "terminal" : "");
}

function commandText(event: RunEvent): string {
  const effect = event.effect as { command?: unknown } | undefined;
  const command = event.command ?? effect?.command;
  return Array.isArray(command) ? command.join(" ") : shortValue(command);
}

function answerText(event: RunEvent): string {
  const answer = event.event ?? event.text ?? event.structured;
  if (answer !== undefined && answer !== null && answer !== "") return shortValue(answer);
  return event.approve === false ? "refused" : "approved";
}

function joinParts(...parts: string[]): string {
  return parts.filter(Boolean).join(" · ");
}

function firstLine(value: string): string {
  return value.trimStart().split("\n", 1)[0]?.slice(0, 200) ?? "";
}

/** A value on one line, cut after 160 characters. */
export function shortValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > 160 ? `${flat.slice(0, 159)}…` : flat;
}
