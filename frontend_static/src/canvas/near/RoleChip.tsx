/** The prompt or role of a state on its card, with the number of states that share it. */

import { Files } from "lucide-react";
import { session, type State } from "../../session";
import { MiddleShortened } from "./CardId";

const MOST_NAMED = 6;

export function RoleChip({ state }: { state: State }) {
  const shared = state.prompt_users > 1;
  if (!shared)
    return (
      <span className="state-role" title={state.role}>
        <MiddleShortened text={state.role} room="chip" />
      </span>
    );
  return (
    <span
      className="state-role shared"
      data-prompt-users={state.prompt_users}
      title={usersOf(state)}
    >
      <Files size={11} aria-hidden />
      <span className="role-users">{state.prompt_users} · </span>
      <MiddleShortened text={state.role} room="chip" />
    </span>
  );
}

/** The states with this prompt, for the tooltip. */
function usersOf({ role, prompt_users }: State): string {
  const users = [...session.state.fullGraph.states.values()]
    .filter((one) => one.role === role && one.prompt_users > 1)
    .map((one) => one.id);
  const more = users.length > MOST_NAMED ? " …" : "";
  const names = users.slice(0, MOST_NAMED).join(", ");
  return `${prompt_users} states share the prompt ${role}: ${names}${more}`;
}
