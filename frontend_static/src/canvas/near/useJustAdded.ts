import { useState } from "react";
import { session } from "../../session";

const JUST_ADDED_MS = 700;

/** True if a run has just added this element, so that its first drawing is animated. */
export function useJustAdded(id: string): boolean {
  const [arrives] = useState(() => {
    const { ids, at } = session.state.lastAdded;
    return ids.has(id) && Date.now() - at < JUST_ADDED_MS;
  });
  return arrives;
}
