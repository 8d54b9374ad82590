/** Binding states of the open pack to roles. */

import { createStore } from "zustand";
import { roles, session, type Outcome, type Role, type State } from "../../session";

export type RoleBinding = NonNullable<State["bound"]>;

/** The roles this user may bind, their own first. */
export async function fetchRoles(): Promise<Role[]> {
  const all = await roles.list();
  return all.sort(
    (a, b) => Number(a.is_system) - Number(b.is_system) || a.name.localeCompare(b.name),
  );
}

/** The states for which the dialog is open; empty if it is closed. */
export const bindDialog = createStore<{ states: readonly string[] }>(() => ({ states: [] }));

/** The selected states, or the state in the inspector. Headings that no run enters are left out. */
export function bindableStates(): string[] {
  const { selection, element, fullGraph } = session.state;
  const elements = selection.size > 0 ? [...selection] : [element];
  return elements
    .filter((one) => one.startsWith("state:"))
    .map((one) => one.slice(6))
    .filter((id) => fullGraph.states.get(id)?.stateless === false);
}

/** Bind states to a role. The other settings of an existing binding are kept. */
export function bindRole(states: readonly string[], role: Role): Promise<Outcome> {
  return session.edit(
    states.map((id) => {
      const before = session.state.fullGraph.states.get(id)?.bound;
      const rest = {
        override: before?.override ?? "",
        mode: before?.mode ?? null,
        gate: before?.gate ?? null,
        ...(before?.kind ? { kind: before.kind } : {}),
      };
      return {
        type: "bind_role",
        id,
        binding: { ...rest, role: role.id, name: role.name, color: role.color },
      };
    }),
  );
}

export const updateBinding = (id: string, bound: RoleBinding): Promise<Outcome> =>
  session.edit([{ type: "bind_role", id, binding: { ...bound } }]);

export const unbindRole = (id: string): Promise<Outcome> =>
  session.edit([{ type: "bind_role", id }]);

export const writeNote = (id: string, text: string): Promise<Outcome> =>
  session.typed(`state:${id} note`, [{ type: "write_note", id, text }]);

/** Set the override of a binding as it is now, with what other fields changed meanwhile. */
export function writeOverride(id: string, override: string): Promise<Outcome> {
  const bound = session.state.fullGraph.states.get(id)?.bound;
  if (!bound) return Promise.resolve({ ok: false, error: new Error(`${id} is bound to no role.`) });
  const edit = { type: "bind_role" as const, id, binding: { ...bound, override } };
  return session.typed(`state:${id} override`, [edit]);
}

/** Set the time limit of questions to people in a state; null removes it. */
export const limitApprovals = (id: string, limit: State["approval_limit"]): Promise<Outcome> =>
  session.edit([{ type: "limit_approvals", id, ...(limit ?? {}) }]);
