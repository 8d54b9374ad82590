/** A summary of how a pack's tools are answered. */

import type { PackTool } from "../../session";

type ToolAnswerer = Pick<PackTool, "in_pack" | "answered_by">;

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
