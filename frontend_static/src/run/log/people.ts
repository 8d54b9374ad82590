/**
 * Acts of people in a run, with the same words everywhere. The server has the same words
 * (`workflows/core/engine/people.py`); `tests/vectors/people.json` is the table of both.
 */

import { text, type RunEvent } from "../model/events";

export interface Act {
  /** For example "denied". */
  verb: string;
  /** For example "denied by ada". */
  words: string;
  /** The reason, the answer or the message. */
  detail: string;
}

/** The exit code of a command that must not be executed. */
const NOT_EXECUTED = 126;

/** The act of a person that caused this event; null if no person did. */
export function actOf(event: RunEvent): Act | null {
  const by = text(event, "by");
  if (!by && event.type !== "approval.given") return null;
  const [verb, detail] = verbAndDetail(event);
  return verb ? { verb, words: by ? `${verb} by ${by}` : verb, detail } : null;
}

/** True if a person denied the request: nothing was called, so nothing failed. */
export const isDenial = (event: RunEvent): boolean => actOf(event)?.verb === "denied";

function verbAndDetail(event: RunEvent): [verb: string, detail: string] {
  switch (event.type) {
    case "approval.given": {
      if (event.approve === false && !text(event, "event")) return ["denied", text(event, "text")];
      const answer = answerOf(event);
      return answer ? ["answered", answer] : ["approved", ""];
    }
    case "tool.returned":
      if (text(event, "error")) return ["denied", text(event, "error")];
      return ["answered", text(event, "result")];
    case "model.replied":
      if (text(event, "error")) return ["denied", text(event, "error")];
      return ["answered as the model", answerOf(event)];
    case "command.finished":
      if (event.exit === NOT_EXECUTED) return ["denied", text(event, "stderr")];
      return ["reported", `exit ${String(event.exit)}`];
    case "effect.allowed":
      return ["allowed", ""];
    case "tool.allowed":
      return ["allowed", `${text(event, "name")} for the rest of this run`];
    case "tool.revoked":
      return ["revoked", text(event, "name")];
    case "run.told":
      return ["told", `to ${text(event, "state")}: ${text(event, "text")}`];
    case "run.fired":
      return ["sent", text(event, "event")];
    case "transition.taken":
      return ["sent", text(event, "label")];
    case "run.finished":
      return text(event, "status") === "cancelled"
        ? ["cancelled", text(event, "reason")]
        : ["", ""];
    case "run.paused":
      return ["paused", text(event, "reason")];
    case "run.resumed":
      return ["resumed", text(event, "reason")];
    case "workspace.kept":
      return ["kept", text(event, "branch")];
    default:
      return ["", ""];
  }
}

/** The event and the text, the value or the called tools of an answer. */
function answerOf(event: RunEvent): string {
  const calls = Array.isArray(event.tool_calls) ? (event.tool_calls as { name?: string }[]) : [];
  if (calls.length > 0) return `calls ${calls.map((call) => call.name ?? "").join(", ")}`;
  const written = [text(event, "event"), text(event, "text")].filter(Boolean).join(": ");
  if (written) return written;
  return event.structured === undefined || event.structured === null
    ? ""
    : JSON.stringify(event.structured);
}
