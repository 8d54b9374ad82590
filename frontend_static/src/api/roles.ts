/** Requests about roles, their modes, and what a role is sent in a state. */

import { call, get } from "./client";
import type { components } from "./schema";

type Shapes = components["schemas"];
export type Role = Pick<Shapes["AgentRole"], "id" | "name" | "description" | "color" | "is_system">;
export type RoleMode = Pick<Shapes["ModeDescription"], "id" | "name">;
export type StatePrompt = Shapes["StatePrompt"];

interface Page<Row> {
  results: Row[];
  next: string | null;
}

async function everyPage<Row>(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | null = path; next;) {
    const page: Page<Row> = await get<Page<Row>>(next);
    rows.push(...page.results);
    next = page.next && pathBelowRoot(page.next);
  }
  return rows;
}

/** A page's absolute address as a path that `get` accepts. */
const pathBelowRoot = (address: string): string =>
  address.slice(address.indexOf("/api/v1/") + "/api/v1/".length);

export const roles = {
  /** The roles this user may bind: their own and the system roles. */
  list: () => everyPage<Role>("agent-roles/?kind=all"),
  modes: () => everyPage<RoleMode>("modes/"),
  /** The prompt that a run in this mode and of this origin would send in a state. */
  prompt: (
    pack: string,
    query: { state: string; mode: string; started_by: string },
    signal: AbortSignal,
  ) => call<StatePrompt>("GET", `packs/${pack}/prompt/`, { query, signal }),
};
