import { session } from "../../session";

export function focusState(state: string): void {
  if (session.state.fullGraph.states.has(state)) session.focus(`state:${state}`);
}
