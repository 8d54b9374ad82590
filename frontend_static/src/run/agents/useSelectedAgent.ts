import { useSession } from "../../session";
import { useRunStore } from "../model/runStore";

/** The selected agent of the shown run; "" if the selection is not an agent. */
export function useSelectedAgent(): string {
  const element = useSession((state) => state.element);
  const id = element.startsWith("state:") ? element.slice(6) : "";
  return useRunStore((state) => (id && Object.keys(state.head.team.agents).length > 0 ? id : ""));
}
