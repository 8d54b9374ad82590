/** An event as a line of the run log. */

import { AGENT_EVENTS } from "./agentEventLine";
import { actOf, type Act } from "./people";
import { asksForTool, headline, statusLabel, text, type RunEvent } from "../model/events";
import { reasonText } from "../model/reasonText";

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
  "prompt.logged": promptLine,
  "model.asked": (event) => line("ask model", text(event, "state"), "quiet"),
  "model.replied": replyLine,
  "tool.asked": (event) => line("ask for tool", callOf(event)),
  "tool.called": (event) =>
    asksForTool(event)
      ? line(event.effect ? "ask for tool" : "call tool", callOf(event))
      : line("call tool", text(event, "name"), "quiet"),
  "tool.returned": (event) =>
    text(event, "error")
      ? line("tool failed", text(event, "error"), "bad")
      : line("tool", shortValue(event.result), "quiet"),
  "tool.allowed": (event) => line("allowed", text(event, "name"), "good"),
  "tool.revoked": (event) => line("revoked", text(event, "name"), "wait"),
  "tool.refused": (event) =>
    line("not called", joinParts(text(event, "name"), text(event, "error")), "bad"),
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
  "transition.taken": transitionLine,
  "promptpack.eval": evalLine,
  "stages.assert": (event) =>
    line(
      "assert",
      joinParts(text(event, "verdict"), text(event, "reason")),
      event.verdict === "ok" ? "good" : "bad",
    ),
  "steps_registry.error": (event) => line("error", text(event, "message"), "bad"),
  "steps_registry.warning": (event) => line("warning", text(event, "message"), "wait"),
  "role.gate": (event) => line("gate", text(event, "state"), "quiet"),
  "role.memory": (event) => line("memory", text(event, "state"), "quiet"),
  "role.verdict": verdictLine,
  ...AGENT_EVENTS,
  "run.told": (event) => line("told", `to ${text(event, "state")}: ${text(event, "text")}`, "wait"),
  "run.fired": (event) =>
    line("event", joinParts(text(event, "event"), text(event, "state")), "wait"),
  "effect.dropped": (event) => line("dropped", text(event, "state"), "quiet"),
  "effect.allowed": (event) => line("allowed", text(event, "state"), "good"),
  "effect.repeated": (event) => line("call repeated", text(event, "reason"), "wait"),
  "workspace.closed": (event) =>
    line("workspace", text(event, "error") || changedFiles(event.files), "quiet"),
  "workspace.kept": (event) => line("branch", text(event, "branch")),
  "run.paused": pauseLine,
  "run.resumed": () => line("resumed", ""),
  "run.breakpoints": (event) =>
    line(
      "breakpoints",
      text(event, "until") ? `on to ${text(event, "until")}` : shortValue(event.ids),
      "quiet",
    ),
  "run.waiting": (event) =>
    line(
      "waiting",
      joinParts(`for ${text(event, "for")}`, text(event, "state"), text(event, "reason")),
      "wait",
    ),
  "run.finished": (event) =>
    line(
      "finished",
      joinParts(statusLabel(text(event, "status")), reasonText(headline(event))),
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
  const act = actOf(event);
  if (act) return actLine(event, act);
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

/** A person's act: who did what comes first, and the detail as far as it fits. */
function actLine(event: RunEvent, { verb, words, detail }: Act): EventLine {
  if (event.type === "transition.taken") {
    const { what, detail: path } = transitionLine(event);
    return line(what, joinParts(words, path), "wait");
  }
  const refused = event.approve === false ? "wait" : TONES[verb];
  return line(words, shortValue(detail), event.exit && verb === "reported" ? "bad" : refused);
}

const TONES: Readonly<Record<string, Tone>> = {
  approved: "good",
  answered: "good",
  "answered as the model": "good",
  allowed: "good",
  reported: "good",
  denied: "wait",
  revoked: "wait",
  told: "wait",
  sent: "wait",
  paused: "wait",
  cancelled: "bad",
};

function replyLine(event: RunEvent): EventLine {
  if (text(event, "error")) return line("reply failed", text(event, "error"), "bad");
  const calls = Array.isArray(event.tool_calls) ? event.tool_calls : [];
  if (calls.length > 0) {
    return line("reply", `calls ${calls.map((call) => callText(call as RecordedCall)).join(", ")}`);
  }
  const reply = event.structured ?? event.text;
  return line(
    event.late ? "late reply" : "reply",
    shortValue(reply),
    event.late ? "quiet" : "plain",
  );
}

interface RecordedCall {
  name?: string;
  /** The arguments as the model wrote them, if they are not a JSON object. */
  unread?: string;
}

/** The name of a called tool, with the arguments that could not be read. */
function callText({ name = "?", unread = "" }: RecordedCall): string {
  return unread ? `${name} with broken arguments ${shortValue(unread)}` : name;
}

function callOf(event: RunEvent): string {
  return `${text(event, "name")}(${argumentsText(event)})`;
}

/** The arguments of a call; nothing if it has none. */
function argumentsText(event: RunEvent): string {
  if (text(event, "unread")) return shortValue(event.unread);
  const given = event.arguments;
  const empty = typeof given === "object" && given !== null && Object.keys(given).length === 0;
  return empty ? "" : shortValue(given);
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
    text(event, "by") && `by ${text(event, "by")}`,
    originText(text(event, "started_by")),
    inputs.length > 0 ? `inputs ${inputs.join(", ")}` : "",
  );
}

/** The trigger, API or chat that started the run. Older logs have "ticket" for every other run. */
function originText(origin: string): string {
  if (!origin || origin === "ticket" || origin === "person") return "";
  if (origin === "api") return "through the API";
  return origin === "chat" ? "from a chat" : `by a ${origin}`;
}

/** A prompt by its first line, with the role's template and whether that one is a fallback. */
function promptLine(event: RunEvent): EventLine {
  const template = text(event, "template");
  const fallback = event.fallback === true ? "fallback" : "";
  return line("prompt", joinParts(template, fallback, firstLine(text(event, "text"))), "quiet");
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

function changedFiles(files: unknown): string {
  const count = Array.isArray(files) ? files.length : 0;
  return `${count} changed ${count === 1 ? "file" : "files"}`;
}
