import { useMemo } from "react";
import { EventDetail } from "./EventDetail";
import { LogRows } from "./LogRows";
import { LogSearch } from "./LogSearch";
import { find, useWanted } from "./searchEvents";
import { shownRun, useShownRun } from "../model/runStore";

/** Every event of the run, and what is looked for among them. */
export function RunLog() {
  const last = useShownRun((shown) => shown.last);
  const at = useShownRun((shown) => shown.at);
  const wanted = useWanted();
  const found = useMemo(() => find(shownRun.log, wanted), [last, wanted]);
  const chosen = at ?? last;
  const query = wanted.query.trim();
  return (
    <div className="split">
      <div className="split-main">
        <LogSearch found={found} chosen={chosen} />
        <LogRows found={found} chosen={chosen} follow={at === null && !query} />
      </div>
      <EventDetail event={shownRun.log[chosen - 1]} query={query} />
    </div>
  );
}
