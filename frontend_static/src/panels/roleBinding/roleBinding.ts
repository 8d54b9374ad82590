/** The roles that states can be bound to, and what is kept beside a state that is. */

import { call, get } from "../../api/client";
import type { components } from "../../api/schema";
import { createStore } from "../../ui/store";
import { session, type Outcome, type State } from "../../session";

type Shapes = components["schemas"];
export type Role = Pick<Shapes["AgentRole"], "id" | "name" | "description" | "color" | "is_system">;
export type Mode = Pick<Shapes["ModeDescription"], "id" | "name">;
export type StatePrompt = Shapes["StatePrompt"];
export type RoleBinding = NonNullable<State["bound"]>;

/** Every role that you may bind: yours first. */
export async function fetchRoles(): Promise<Role[]> {
  const roles = await everyPage<Role>("agent-roles/?kind=all");
  return roles.sort((a, b) => Number(a.is_system) - Number(b.is_system) || a.name.localeCompare(b.name));
}

/** Your modes: what one adds to the prompts of a role, for some turns. */
export const fetchModes = (): Promise<Mode[]> => everyPage<Mode>("modes/");

interface PageOf<Row> {
  results: Row[];
  next: string | null;
}

async function everyPage<Row>(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: string | null = path; next; ) {
    const page: PageOf<Row> = await get<PageOf<Row>>(next);
    rows.push(...page.results);
    next = page.next && pathBelowRoot(page.next);
  }
  return rows;
}

/** The address of the next page as this client writes addresses. */
const pathBelowRoot = (address: string): string => address.slice(address.indexOf("/api/v1/") + "/api/v1/".length);

/** What would be sent in a state, were a run started in this mode. */
export const fetchPrompt = (pack: string, state: string, mode: string, signal: AbortSignal): Promise<StatePrompt> =>
  call<StatePrompt>("GET", `packs/${pack}/prompt/`, { query: { state, mode }, signal });

/** Which states the open dialog binds; none: it is closed. */
export const bindDialog = createStore<{ states: readonly string[] }>({ states: [] });

/** States that are selected, else the one that is looked at. Headings that nobody enters are left out. */
export function bindableStates(): string[] {
  const { selection, element, fullGraph } = session.state;
  const elements = selection.size > 0 ? [...selection] : [element];
  return elements
    .filter((one) => one.startsWith("state:"))
    .map((one) => one.slice(6))
    .filter((id) => fullGraph.states.get(id)?.stateless === false);
}

/** Bind these states to a role. What a state's binding says besides stays, but a gate with it. */
export function bindRole(states: readonly string[], role: Role): Promise<Outcome> {
  return session.edit(
    states.map((id) => {
      const before = session.state.fullGraph.states.get(id)?.bound;
      const rest = { override: before?.override ?? "", mode: before?.mode ?? null, gate: before?.gate ?? null };
      return { type: "bind_role", id, binding: { ...rest, role: role.id, name: role.name, color: role.color } };
    }),
  );
}

export const updateBinding = (id: string, bound: RoleBinding): Promise<Outcome> =>
  session.edit([{ type: "bind_role", id, binding: { ...bound } }]);

export const unbindRole = (id: string): Promise<Outcome> => session.edit([{ type: "bind_role", id }]);

export const writeNote = (id: string, text: string): Promise<Outcome> => session.edit([{ type: "write_note", id, text }]);
