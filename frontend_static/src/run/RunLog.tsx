import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { clock } from "../theme/parts/time";
import { describe, stateOf } from "./describe";
import type { RunEvent } from "./events";
import { focusState } from "./RunBar";
import { shownRun, useShownRun } from "./shown";

const ROW = 24;
const MARGIN = 20;

/** Every event of the run. Only the rows in view exist, so ten thousand cost as much as fifty. */
export function RunLog() {
  const last = useShownRun((shown) => shown.last);
  const at = useShownRun((shown) => shown.at);
  const [query, setQuery] = useState("");
  const [brief, setBrief] = useState(false);
  const rows = useMemo(() => filtered(shownRun.log, query, brief), [last, query, brief]);
  const chosen = at ?? last;
  return (
    <div className="split">
      <div className="split-main">
        <div className="toolbar tight">
          <input
            className="input"
            type="search"
            aria-label="Filter the log"
            placeholder="Filter the log"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <label className="check">
            <input type="checkbox" checked={brief} onChange={(event) => setBrief(event.target.checked)} />
            Without bookkeeping
          </label>
          <span className="help">
            {query || brief ? `${rows.length} of ${last} events` : `${last} events`}
          </span>
        </div>
        <Rows rows={rows} chosen={chosen} follow={at === null} />
      </div>
      <EventDetail event={shownRun.log[chosen - 1]} />
    </div>
  );
}

/** The events that hold these words; `brief` leaves out what is only kept for the record. */
function filtered(log: readonly RunEvent[], query: string, brief: boolean): readonly RunEvent[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted && !brief) return log.slice();
  return log.filter((event) => {
    const { what, detail, tone } = describe(event);
    if (brief && tone === "quiet") return false;
    return `${event.type} ${what} ${stateOf(event)} ${detail}`.toLowerCase().includes(wanted);
  });
}

function Rows({ rows, chosen, follow }: { rows: readonly RunEvent[]; chosen: number; follow: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(300);
  useEffect(() => {
    if (!box.current) return;
    const seen = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 300));
    seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const row = follow ? rows.length : rows.findIndex((event) => event.n >= chosen);
    const y = row * ROW;
    if (follow || y < place.scrollTop || y > place.scrollTop + place.clientHeight - ROW)
      place.scrollTop = follow ? place.scrollHeight : y - place.clientHeight / 2;
  }, [rows.length, chosen, follow, height]);
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const after = Math.min(rows.length, Math.ceil((top + height) / ROW) + MARGIN);
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (!step) return;
    event.preventDefault();
    const index = rows.findIndex((row) => row.n >= chosen) + step;
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (next) shownRun.seek(next.n);
  };
  return (
    <div
      className="log"
      ref={box}
      role="listbox"
      aria-label="Events"
      aria-activedescendant={`event-${chosen}`}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={keys}
    >
      <div className="log-space" role="presentation" style={{ height: rows.length * ROW }}>
        {rows.slice(first, after).map((event, index) => (
          <LogRow
            key={event.n}
            event={event}
            top={(first + index) * ROW}
            chosen={event.n === chosen}
            count={rows.length}
            place={first + index + 1}
          />
        ))}
      </div>
    </div>
  );
}

interface LogRowProps {
  event: RunEvent;
  top: number;
  chosen: boolean;
  count: number;
  place: number;
}

function LogRow({ event, top, chosen, count, place }: LogRowProps) {
  const { what, detail, tone } = describe(event);
  return (
    <div
      id={`event-${event.n}`}
      className={`log-row ${tone}`}
      role="option"
      aria-selected={chosen}
      aria-setsize={count}
      aria-posinset={place}
      data-event={event.type}
      style={{ top }}
      onClick={() => shownRun.seek(event.n)}
      onDoubleClick={() => focusState(stateOf(event))}
    >
      <span className="n">{event.n}</span>
      <span className="at">{clock(event.at * 1000)}</span>
      <span className="state truncate">{stateOf(event)}</span>
      <span className="what truncate">{what}</span>
      <span className="detail truncate">{detail}</span>
    </div>
  );
}

function EventDetail({ event }: { event: RunEvent | undefined }) {
  const typed = useShownRun((shown) => Object.values(shown.deltas).join("\n"));
  if (!event) return null;
  const { n, at: _at, type, ...fields } = event;
  return (
    <section className="split-side" aria-label="Event">
      <h3 className="mono">
        {n} {type}
      </h3>
      {typed && <pre className="streaming">{typed}</pre>}
      <dl className="event-fields">
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <pre>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
