/** An agent's chat entries, tool calls, changes and usage, derived from a run's events. Pure. */

import { text, type RunEvent } from "../model/events";

export type AgentEntry =
  | { kind: "turn"; n: number; at: number; number: number }
  | { kind: "person"; n: number; at: number; text: string; urgent: boolean }
  | { kind: "said"; n: number; at: number; text: string; error: string }
  | {
      kind: "in" | "out";
      n: number;
      at: number;
      other: string;
      message: string;
      more: Record<string, unknown>;
    }
  | { kind: "call"; n: number; at: number; call: ToolCall }
  | { kind: "note"; n: number; at: number; text: string; bad: boolean }
  | { kind: "diff"; n: number; at: number; turn: number; diff: string };

export interface ToolCall {
  n: number;
  tool: string;
  args: unknown;
  ok: boolean;
  output: string;
  error: string;
}

/** The agent's entries in order. `events` ends at the shown event. */
export function agentEntries(events: readonly RunEvent[], node: string): AgentEntry[] {
  return events.flatMap((event) => entryOf(event, node) ?? []);
}

function entryOf(event: RunEvent, node: string): AgentEntry | null {
  const { n, at } = event;
  switch (event.type) {
    case "agent_graph.handoff":
      return handoffEntry(event, node);
    case "model.replied":
      if (text(event, "state") !== node) return null;
      return {
        kind: "said",
        n,
        at,
        text: withoutCalls(text(event, "text")),
        error: text(event, "error"),
      };
    case "artifact.set":
      if (event.kind !== "diff" || text(event, "node") !== node) return null;
      return { kind: "diff", n, at, turn: number(event.turn), diff: String(event.value ?? "") };
    default:
      return text(event, "node") === node ? ownEntry(event) : null;
  }
}

function ownEntry(event: RunEvent): AgentEntry | null {
  const { n, at } = event;
  const note = (message: string, bad = false): AgentEntry => ({
    kind: "note",
    n,
    at,
    text: message,
    bad,
  });
  const why = text(event, "reason") ? `: ${text(event, "reason")}` : "";
  switch (event.type) {
    case "agent_graph.turn":
      return turnEntry(event, note);
    case "agent_graph.message":
      return { kind: "person", n, at, text: text(event, "text"), urgent: event.interrupt === true };
    case "agent_graph.call":
      return { kind: "call", n, at, call: toolCall(event) };
    case "agent_graph.rejected":
      return note(text(event, "message"), true);
    case "agent_graph.approval":
      return note(
        `${text(event, "tool")} was ${text(event, "resolution")}${why}`,
        event.resolution === "denied",
      );
    case "agent_graph.stalled":
      return note(`Made no progress for ${number(event.turns)} turns`, true);
    case "agent_graph.stopped":
      return note(`Stopped${why}`);
    default:
      return null;
  }
}

function turnEntry(
  event: RunEvent,
  note: (message: string, bad?: boolean) => AgentEntry,
): AgentEntry | null {
  switch (text(event, "status")) {
    case "started":
      return { kind: "turn", n: event.n, at: event.at, number: number(event.turn) };
    case "failed":
      return note(`The turn failed: ${text(event, "error")}`, true);
    case "interrupted":
      return note("The turn was broken off");
    default:
      return null;
  }
}

function handoffEntry(event: RunEvent, node: string): AgentEntry | null {
  const [source, target] = [text(event, "source"), text(event, "target")];
  if (source !== node && target !== node) return null;
  const envelope = (event.envelope ?? {}) as { payload?: Record<string, unknown> };
  const { message, ...more } = envelope.payload ?? {};
  const other = target === node ? source : target;
  return {
    kind: target === node ? "in" : "out",
    n: event.n,
    at: event.at,
    other,
    message: String(message ?? ""),
    more,
  };
}

function toolCall(event: RunEvent): ToolCall {
  return {
    n: event.n,
    tool: text(event, "tool"),
    args: event.args,
    ok: event.ok === true,
    output: text(event, "output"),
    error: text(event, "error"),
  };
}

/** A reply without the lines that are tool calls, because calls have entries of their own. */
function withoutCalls(reply: string): string {
  const lines = reply.split("\n").filter((line) => !/^\s*\{\s*"tool_?[cC]all"/.test(line));
  return lines.join("\n").trim();
}

export interface CallUsage {
  n: number;
  model: string;
  input: number;
  output: number;
  cost: number;
}

/** The usage of each model call of an agent. */
export function callUsage(events: readonly RunEvent[], node: string): CallUsage[] {
  return events
    .filter((event) => event.type === "model.replied" && text(event, "state") === node)
    .map((event) => {
      const usage = (event.usage ?? {}) as Record<string, unknown>;
      return {
        n: event.n,
        model: text(event, "model"),
        input: number(usage.input_tokens),
        output: number(usage.output_tokens),
        cost: number(usage.cost),
      };
    });
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
