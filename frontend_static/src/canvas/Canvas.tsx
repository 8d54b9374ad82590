import { useSession } from "../session";

export function Canvas() {
  const count = useSession((state) => state.graph.states.size);
  return <p role="status">{count} states</p>;
}
