/** Log lines for events of agent graphs. */

import type { EventLine, Tone } from "./eventLine";
import { text, type RunEvent } from "../model/events";

type Describe = (event: RunEvent) => EventLine;

const line = (what: string, detail: string, tone: Tone = "plain"): EventLine => ({
  what,
  detail,
  tone,
});

export const AGENT_EVENTS: Readonly<Record<string, Describe>> = {
  "agent_graph.turn": turn,
  "agent_graph.call": (event) =>
    event.ok
      ? line("call", `${text(event, "node")}: ${text(event, "tool")}`)
      : line("call failed", `${text(event, "tool")}: ${text(event, "error")}`, "bad"),
  "agent_graph.rejected": (event) => line("no call", text(event, "message"), "bad"),
  "agent_graph.approval": (event) =>
    line(text(event, "resolution"), joinParts(text(event, "tool"), text(event, "reason")), "wait"),
  "agent_graph.handoff": (event) =>
    line("hand off", `${text(event, "source")} → ${text(event, "target")}: ${messageOf(event)}`),
  "agent_graph.reply_owed": (event) =>
    event.open
      ? line("reply owed", `${text(event, "by")} to ${text(event, "to")}`, "wait")
      : line("reply given", `${text(event, "by")} to ${text(event, "to")}`, "good"),
  "agent_graph.node_added": (event) => {
    const node = objectField(event, "node");
    return line("new agent", joinParts(String(node.label ?? ""), String(node.role ?? "")), "good");
  },
  "agent_graph.edge_added": (event) =>
    line(
      "new edge",
      joinParts(endsOf(event), String(objectField(event, "edge").label ?? "")),
      "good",
    ),
  "agent_graph.node_removed": (event) => line("agent removed", text(event, "node"), "wait"),
  "agent_graph.edge_removed": (event) =>
    line("edge removed", text(event, "transition") || endsOf(event), "wait"),
  "agent_graph.message": (event) =>
    line(
      event.interrupt ? "interrupted" : "told",
      `${text(event, "node")}: ${text(event, "text")}`,
      "wait",
    ),
  "agent_graph.unheard": (event) => line("unheard", `unknown agent ${text(event, "to")}`, "bad"),
  "agent_graph.stalled": (event) =>
    line("stalled", `${text(event, "node")} made no progress in ${event.turns ?? ""} turns`, "bad"),
  "agent_graph.stopped": (event) =>
    line("stopped", joinParts(text(event, "node"), text(event, "reason")), "wait"),
  "agent_graph.mode": (event) =>
    line("mode", joinParts(text(event, "run_mode"), text(event, "global_mode"))),
  "agent_graph.completion": (event) => line("declared done", text(event, "summary"), "good"),
  "agent_graph.noted": () => line("noted", "", "quiet"),
};

function turn(event: RunEvent): EventLine {
  const whose = `${text(event, "node")} ${event.turn ?? ""}`;
  switch (text(event, "status")) {
    case "started":
      return line("turn", whose, "quiet");
    case "completed":
      return line("turn ended", joinParts(whose, text(event, "summary")));
    case "failed":
      return line("turn failed", joinParts(whose, text(event, "error")), "bad");
    default:
      return line("turn broken off", whose, "wait");
  }
}

function endsOf(event: RunEvent): string {
  const edge = objectField(event, "edge");
  return `${edge.from ?? ""} ${edge.bidirectional ? "↔" : "→"} ${edge.to ?? ""}`;
}

function messageOf(event: RunEvent): string {
  const payload = objectField(event, "envelope").payload as { message?: unknown } | undefined;
  const message = String(payload?.message ?? "").replace(/\s+/g, " ");
  return message.length > 160 ? `${message.slice(0, 159)}…` : message;
}

function objectField(event: RunEvent, name: string): Record<string, unknown> {
  const value = event[name];
  return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
}

function joinParts(...parts: string[]): string {
  return parts.filter(Boolean).join(" · ");
}
