/** The lines of a conversation with the assistant, from the events of its run. */

import { text, type RunEvent } from "../model/events";

export type Line =
  | { kind: "said"; n: number; text: string }
  | { kind: "problem"; n: number; text: string }
  | { kind: "call"; n: number; tool: string; result: string; proposal: number | null };

export interface Conversation {
  lines: Line[];
  /** USD and tokens of its model calls, as far as they are known. */
  cost: number;
  tokens: number;
  /** The proposal that it has shown. */
  proposal: number | null;
}

export function conversationOf(events: readonly RunEvent[]): Conversation {
  const made: Conversation = { lines: [], cost: 0, tokens: 0, proposal: null };
  const names = new Map<string, string>();
  for (const event of events) {
    const { n } = event;
    switch (event.type) {
      case "model.replied": {
        const usage = (event.usage ?? {}) as Record<string, number>;
        made.cost += usage.cost ?? 0;
        made.tokens += (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
        if (text(event, "text")) made.lines.push({ kind: "said", n, text: text(event, "text") });
        if (text(event, "error"))
          made.lines.push({ kind: "problem", n, text: text(event, "error") });
        break;
      }
      case "tool.asked":
        names.set(text(event, "key"), text(event, "name"));
        break;
      case "tool.returned": {
        const tool = text(event, "name") || names.get(text(event, "key")) || "tool";
        const answer = objectIn(text(event, "error") || text(event, "result"));
        const proposal = typeof answer.proposal === "number" ? answer.proposal : null;
        made.proposal ??= proposal;
        made.lines.push({ kind: "call", n, tool, result: summaryOf(answer), proposal });
        break;
      }
      case "run.paused":
      case "run.finished":
        if (text(event, "reason") && event.status !== "completed")
          made.lines.push({ kind: "problem", n, text: text(event, "reason") });
        break;
    }
  }
  return made;
}

/** One line about the result of a tool. */
function summaryOf(answer: Record<string, unknown>): string {
  if (typeof answer.error === "string") return answer.error;
  const counted = (name: string, words: string) => {
    const list = answer[name];
    return Array.isArray(list) && list.length > 0
      ? [`${list.length} ${words}${list.length === 1 ? "" : "s"}`]
      : [];
  };
  const note = typeof answer.note === "string" ? [answer.note] : [];
  return [
    ...counted("findings_new", "new finding"),
    ...counted("findings_fixed", "fixed finding"),
    ...counted("diverging_runs", "diverging run"),
    ...note,
  ].join(" · ");
}

function objectIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === "object" ? { ...value } : {};
  } catch {
    return json ? { error: json } : {};
  }
}
