import { useSession } from "../../session";
import { useRunStore } from "../model/runStore";

/** The agent that is selected while a run with agents is shown; "" where it is none of them. */
export function useSelectedAgent(): string {
  const element = useSession((state) => state.element);
  const id = element.startsWith("state:") ? element.slice(6) : "";
  return useRunStore((state) => (id && Object.keys(state.head.team.agents).length > 0 ? id : ""));
}
