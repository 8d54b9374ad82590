import { useState } from "react";
import { session } from "../../session";

const JUST_ADDED_MS = 700;

/** Whether what is drawn for the first time here has just been added, and so glides in. */
export function useJustAdded(id: string): boolean {
  const [arrives] = useState(() => {
    const { ids, at } = session.state.lastAdded;
    return ids.has(id) && Date.now() - at < JUST_ADDED_MS;
  });
  return arrives;
}
