/** A summary of how a pack's tools are answered. */

import type { PackTool } from "../../session";

type ToolAnswerer = Pick<PackTool, "in_pack" | "answered_by">;

const toolCount = (count: number) => (count === 1 ? "1 tool" : `${count} tools`);

/**
 * For example "3 tools are bound, 1 asks a person." Tools that the pack no longer names do not
 * count.
 */
export function toolSummary(all: readonly ToolAnswerer[]): string {
  const own = all.filter((tool) => tool.in_pack);
  const asking = own.filter((tool) => tool.answered_by === "person").length;
  const bound = own.length - asking;
  if (own.length === 0) return "The pack names no tools.";
  if (asking === 0) return `${toolCount(bound)} ${bound === 1 ? "is" : "are"} bound.`;
  if (bound === 0) return `${toolCount(asking)} ${asking === 1 ? "asks" : "ask"} a person.`;
  return `${toolCount(bound)} ${bound === 1 ? "is" : "are"} bound, ${asking} ${asking === 1 ? "asks" : "ask"} a person.`;
}
