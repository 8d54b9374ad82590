import { useMemo } from "react";
import { EventDetail } from "./EventDetail";
import { LogRows } from "./LogRows";
import { LogSearch } from "./LogSearch";
import { searchEvents, useEventFilter } from "./searchEvents";
import { useRunLog, useRunStore } from "../model/runStore";

/** The run's events with search and filters. */
export function RunLog() {
  const log = useRunLog();
  const at = useRunStore((state) => state.at);
  const filter = useEventFilter();
  const result = useMemo(() => searchEvents(log, filter), [log, filter]);
  const selected = at ?? log.length;
  const query = filter.query.trim();
  return (
    <div className="split-main run-log">
      <LogSearch result={result} selected={selected} />
      <div className="split">
        <div className="split-main">
          <LogRows result={result} selected={selected} follow={at === null && !query} />
        </div>
        <EventDetail event={log[selected - 1]} query={query} />
      </div>
    </div>
  );
}
