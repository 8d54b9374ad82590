/** A summary of how a pack's tools are answered. */

import type { PackTool, RunStart } from "../../session";

type ToolAnswerer = Pick<PackTool, "in_pack" | "answered_by">;
export type CallApproval = RunStart["approvals"][number];

const toolCount = (count: number) => (count === 1 ? "1 tool" : `${count} tools`);

/**
 * For example "3 tools are bound, 1 asks a person, 1 is not available." Tools that the pack no
 * longer names do not count.
 */
export function toolSummary(all: readonly ToolAnswerer[]): string {
  const own = all.filter((tool) => tool.in_pack);
  const asking = own.filter((tool) => tool.answered_by === "person").length;
  const missing = own.filter((tool) => tool.answered_by === "missing").length;
  const bound = own.length - asking - missing;
  if (own.length === 0) return "The pack names no tools.";
  const parts = [
    [bound, "is bound", "are bound"],
    [asking, "asks a person", "ask a person"],
    [missing, "is not available", "are not available"],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, one, many], index) => {
      const subject = index === 0 ? toolCount(count) : String(count);
      return `${subject} ${count === 1 ? one : many}`;
    });
  return `${said.join(", ")}.`;
}

const ASKING_REASONS: Readonly<Record<string, string>> = {
  person: "has no binding, so a person answers each call",
  command: "is a command, and this run may not run commands, so a person answers each call",
  missing: "is not available on this server, so no run with a model starts",
};
const BARRED = "starts a process, which this server does not do, so a person answers each call";
const ASKS_FIRST = "is bound so that each call asks a person first";

type AskingTool = Pick<
  PackTool,
  "tool" | "in_pack" | "answered_by" | "asks_first" | "binding" | "usual"
>;

/** The tools or states that ask a person, and the text that follows their names. */
interface AskingLine {
  names: readonly string[];
  reason: string;
  /** The tool whose calls can be allowed at the start; "" if there is none. */
  allows: string;
}

/** Tools and states that ask a person in a run, with reasons. `commands`: it may run commands. */
export function askingLines(
  tools: readonly AskingTool[],
  approvals: readonly CallApproval[],
  commands: boolean,
): AskingLine[] {
  const own = tools.flatMap((tool): AskingLine[] => {
    if (!tool.in_pack) return [];
    const answers = tool.answered_by === "command" && commands ? "tool" : tool.answered_by;
    const barred = answers === "person" && (tool.binding ?? tool.usual) !== null;
    const reason = barred
      ? BARRED
      : (ASKING_REASONS[answers] ?? (tool.asks_first ? ASKS_FIRST : undefined));
    if (reason === undefined) return [];
    return [{ names: [tool.tool], reason, allows: reason === ASKS_FIRST ? tool.tool : "" }];
  });
  return [...own, ...approvals.map(approvalLine)];
}

function approvalLine({ tool, states, reason }: CallApproval): AskingLine {
  if (tool === "") return { names: states, reason, allows: "" };
  return {
    names: [tool],
    allows: tool,
    reason: states.length > 0 ? `of ${states.join(", ")} ${reason}` : reason,
  };
}
