import { useSession } from "../../session";
import { useRunStore } from "../model/runStore";

/** The selected state if the shown run has visited it; "" otherwise. */
export function useSelectedRunState(): string {
  const element = useSession((state) => (state.selection.size > 1 ? "" : state.element));
  const id = element.startsWith("state:") ? element.slice(6) : "";
  return useRunStore((state) =>
    state.id !== null && id && Object.hasOwn(state.head.visits, id) ? id : "",
  );
}
