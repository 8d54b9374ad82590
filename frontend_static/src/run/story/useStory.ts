import { useMemo } from "react";
import { useRunStore, runStore } from "../model/runStore";
import { StoryBuilder, type StoryRow } from "./story";

let builder = new StoryBuilder([]);

/** The rows of the shown run's story, as a new list whenever events are added. */
export function useStory(): readonly StoryRow[] {
  const id = useRunStore((state) => state.id);
  const last = useRunStore((state) => state.last);
  return useMemo(() => {
    const { log } = runStore;
    if (!builder.continues(log)) builder = new StoryBuilder(log);
    builder.update();
    return builder.rows.slice();
    // The log grows in place: its length is what changes.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [id, last]);
}
