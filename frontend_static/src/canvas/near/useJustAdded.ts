import { useState } from "react";
import { session } from "../../session";

const FRESH_MS = 700;

/** Whether what is drawn for the first time here has just been added, and so glides in. */
export function useArrival(id: string): boolean {
  const [arrives] = useState(() => {
    const { ids, at } = session.state.arrived;
    return ids.has(id) && Date.now() - at < FRESH_MS;
  });
  return arrives;
}
