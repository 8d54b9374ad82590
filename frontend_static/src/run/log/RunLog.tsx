import { useMemo } from "react";
import { EventDetail } from "./EventDetail";
import { LogRows } from "./LogRows";
import { LogSearch } from "./LogSearch";
import { searchEvents, useEventFilter } from "./searchEvents";
import { runStore, useRunStore } from "../model/runStore";

/** Every event of the run, and what is looked for among them. */
export function RunLog() {
  const last = useRunStore((shown) => shown.last);
  const at = useRunStore((shown) => shown.at);
  const wanted = useEventFilter();
  const found = useMemo(() => searchEvents(runStore.log, wanted), [last, wanted]);
  const chosen = at ?? last;
  const query = wanted.query.trim();
  return (
    <div className="split">
      <div className="split-main">
        <LogSearch found={found} chosen={chosen} />
        <LogRows found={found} chosen={chosen} follow={at === null && !query} />
      </div>
      <EventDetail event={runStore.log[chosen - 1]} query={query} />
    </div>
  );
}
