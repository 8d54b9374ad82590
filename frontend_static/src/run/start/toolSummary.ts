/** How the tools of a pack stand, in a line. */

import type { PackTool } from "../../session";

type Standing = Pick<PackTool, "in_pack" | "answered_by">;

const tools = (count: number) => (count === 1 ? "1 tool" : `${count} tools`);

/** "3 tools are bound, 1 asks a person." Tools that the pack no longer names do not count. */
export function summary(all: readonly Standing[]): string {
  const own = all.filter((tool) => tool.in_pack);
  const asking = own.filter((tool) => tool.answered_by === "person").length;
  const bound = own.length - asking;
  if (own.length === 0) return "The pack names no tools.";
  if (asking === 0) return `${tools(bound)} ${bound === 1 ? "is" : "are"} bound.`;
  if (bound === 0) return `${tools(asking)} ${asking === 1 ? "asks" : "ask"} a person.`;
  return `${tools(bound)} ${bound === 1 ? "is" : "are"} bound, ${asking} ${asking === 1 ? "asks" : "ask"} a person.`;
}
