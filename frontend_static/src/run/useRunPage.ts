import { useSession } from "../session";
import { useRunStore } from "./model/runStore";

/** True on a run's own page while its run is shown; an editor page can hide its run. */
export function useRunPage(): boolean {
  const readOnly = useSession((state) => state.readOnly);
  const shown = useRunStore((state) => state.id !== null);
  return shown && readOnly && Boolean(document.getElementById("signalbox")?.dataset.run);
}
