import { useEffect, useState } from "react";
import { afterFrame } from "../ui/afterFrame";
import { useRunStore } from "./model/runStore";

/**
 * True while a run is shown, from the frame after its bar on: the bar has the status, and the panes
 * of a run take longer to draw.
 */
export function useHasRun(): boolean {
  const shown = useRunStore((state) => state.id !== null);
  const [drawn, setDrawn] = useState(shown);
  useEffect(() => afterFrame(() => setDrawn(shown)), [shown]);
  return shown && drawn;
}
