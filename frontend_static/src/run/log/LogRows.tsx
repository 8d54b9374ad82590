import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { clock } from "../../ui/formatTime";
import { eventLine, eventState } from "./eventLine";
import type { RunEvent } from "../model/events";
import type { SearchResult } from "./searchEvents";
import { runStore, useRunLog } from "../model/runStore";
import { repeatedPrompts } from "../artifacts/promptTurns";
import { focusState } from "../model/focusState";
import { keyOf } from "../../ui/keys";

const ROW_HEIGHT = 24;
const EXTRA_ROWS = 20;

/**
 * The rows of the log. Only visible rows are rendered, so the length of the log does not matter.
 */
export function LogRows({
  result,
  selected,
  follow,
}: {
  result: SearchResult;
  selected: number;
  follow: boolean;
}) {
  const { events: rows } = result;
  const log = useRunLog();
  const repeats = useMemo(() => repeatedPrompts(log), [log]);
  const matching = useMemo(() => new Set(result.matches), [result]);
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(300);
  /** False while the reader has scrolled up: new events then leave the rows in place. */
  const atEnd = useRef(true);
  useEffect(() => {
    if (follow) atEnd.current = true;
  }, [follow]);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 300));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const place = box.current;
    if (!place || (follow && !atEnd.current)) return;
    const row = follow ? rows.length : rows.findIndex((event) => event.n >= selected);
    const y = row * ROW_HEIGHT;
    if (follow || y < place.scrollTop || y > place.scrollTop + place.clientHeight - ROW_HEIGHT)
      place.scrollTop = follow ? place.scrollHeight : y - place.clientHeight / 2;
  }, [rows, selected, follow, height]);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - EXTRA_ROWS);
  const after = Math.min(rows.length, Math.ceil((top + height) / ROW_HEIGHT) + EXTRA_ROWS);
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[keyOf(event)];
    if (!step) return;
    event.preventDefault();
    const index = rows.findIndex((row) => row.n >= selected) + step;
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (next) runStore.seek(next.n);
  };
  return (
    <div
      className="log"
      ref={box}
      role="listbox"
      aria-label="Events"
      aria-activedescendant={`event-${selected}`}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        setTop(scrollTop);
        atEnd.current = scrollTop + clientHeight > scrollHeight - ROW_HEIGHT;
      }}
      onKeyDown={keys}
    >
      <div className="log-space" role="presentation" style={{ height: rows.length * ROW_HEIGHT }}>
        {rows.slice(first, after).map((event, index) => (
          <LogRow
            key={event.n}
            event={event}
            top={(first + index) * ROW_HEIGHT}
            selected={event.n === selected}
            match={matching.has(event)}
            count={rows.length}
            position={first + index + 1}
            repeat={repeats.get(event.n) ?? ""}
          />
        ))}
      </div>
    </div>
  );
}

interface LogRowProps {
  event: RunEvent;
  top: number;
  selected: boolean;
  match: boolean;
  count: number;
  position: number;
  /** For a prompt that was sent before: the repetition text. */
  repeat: string;
}

function LogRow({ event, top, selected, match, count, position, repeat }: LogRowProps) {
  const { what, detail, tone } = eventLine(event);
  const text = repeat ? `${repeat} · ${detail}` : detail;
  return (
    <div
      id={`event-${event.n}`}
      className={`log-row ${tone}`}
      role="option"
      aria-selected={selected}
      aria-setsize={count}
      aria-posinset={position}
      data-event={event.type}
      data-match={match || undefined}
      style={{ top }}
      onClick={() => runStore.seek(event.n)}
      onDoubleClick={() => focusState(eventState(event))}
    >
      <span className="n">{event.n}</span>
      <span className="at">{clock(event.at * 1000)}</span>
      <span className="state truncate" translate="no">
        {eventState(event)}
      </span>
      <span className="what truncate">{what}</span>
      <span className="detail truncate" translate="no" data-repeat={repeat || undefined}>
        {text}
      </span>
    </div>
  );
}
