import { ChevronDown, ChevronRight, TriangleAlert } from "lucide-react";
import { session } from "../../session";
import { costText, duration } from "../../ui/formatTime";
import { eventLine } from "../log/eventLine";
import type { RunEvent } from "../model/events";
import { runStore } from "../model/runStore";
import { waitedSeconds, type StoryRow } from "./story";
import { story } from "./storyStore";
import { Mono } from "../../ui/Mono";

interface Place {
  top: number;
  height: number;
}

interface RowState {
  row: StoryRow;
  place: Place;
  /** The row of the shown event. */
  current: boolean;
  /** It begins after the shown event. */
  later: boolean;
  open: boolean;
}

/** Select the state and show this visit in the inspector. Events before the visit are left behind. */
function chooseVisit(row: StoryRow): void {
  const { at } = runStore.store.getState();
  const last = row.events.at(-1)?.n ?? row.id;
  if (at !== null && at < last) runStore.seek(last);
  if (session.state.fullGraph.states.has(row.state)) session.focus(`state:${row.state}`);
  story.choose(row.state, row.id);
}

export function VisitRow({
  row,
  place,
  current,
  later,
  open,
  scale,
  now,
  paused,
}: RowState & { scale: { from: number; to: number }; now: number; paused: boolean }) {
  const until = row.until ?? Math.max(now, row.at);
  const span = scale.to - scale.from;
  const left = ((row.at - scale.from) / span) * 100;
  const width = Math.max(0, ((until - row.at) / span) * 100);
  const waited = waitedSeconds(row, now);
  const time = duration(Math.max(0, until - row.at - waited) * 1000);
  const wait = waited >= 1 ? `${duration(waited * 1000)} waiting` : "";
  return (
    <div
      role="listitem"
      className="story-visit"
      style={place}
      data-story-visit={`${row.state}:${row.number}`}
      data-current={current || undefined}
      data-later={later || undefined}
      data-failures={row.failures || undefined}
    >
      <button
        type="button"
        className="story-fold"
        aria-expanded={open}
        aria-label={`Events of ${row.state}, visit ${row.number}`}
        title={open ? "Hide the events" : `Show the ${row.events.length} events`}
        onClick={() => story.toggle(row.id)}
      >
        {open ? (
          <ChevronDown className="icon" aria-hidden />
        ) : (
          <ChevronRight className="icon" aria-hidden />
        )}
      </button>
      <button
        type="button"
        className="story-open"
        title={tooltip(row, wait ? `${time}, ${wait}` : time)}
        onClick={() => chooseVisit(row)}
      >
        <span className="story-line">
          <Mono kind="truncate">{row.state}</Mono>
          <span className="visually-hidden">, visit {row.number}, </span>
          {row.number > 1 && (
            <span className="muted" aria-hidden>
              {row.number}×
            </span>
          )}
          {row.failures > 0 && <TriangleAlert className="icon bad" aria-label="Has failures" />}
          <span className="spacer" />
          {wait && <span className="muted">{wait}</span>}
          <span className="story-time">{time}</span>
        </span>
        <span className="story-line">
          <span className="story-track" aria-hidden>
            <span
              className="story-bar"
              data-bar={barOf(row, paused)}
              style={{ left: `${Math.min(left, 98)}%`, width: `max(3px, ${width}%)` }}
            />
            {row.waited.map(([from, to]) => (
              <span
                key={from}
                className="story-bar"
                data-waited
                style={{
                  left: `${((from - scale.from) / span) * 100}%`,
                  width: `${(Math.max(0, (to ?? until) - from) / span) * 100}%`,
                }}
              />
            ))}
          </span>
          <span className="story-figures">
            {row.cost > 0
              ? costText(row.cost)
              : row.tokens > 0
                ? `${shortCount(row.tokens)} tok`
                : ""}
          </span>
        </span>
      </button>
    </div>
  );
}

/** The status of a visit, for the colour of its bar. */
function barOf(row: StoryRow, paused: boolean): "failed" | "waiting" | "open" | "left" {
  if (row.failures > 0) return "failed";
  if (row.until !== null) return "left";
  if (row.waited.at(-1)?.[1] === null) return "open";
  return paused || row.waits.size > 0 ? "waiting" : "open";
}

function tooltip(row: StoryRow, time: string): string {
  const parts = [
    `${row.state}, visit ${row.number}: ${time}`,
    row.calls > 0 ? `${row.calls} model ${row.calls === 1 ? "call" : "calls"}` : "",
    row.tools > 0 ? `${row.tools} tool ${row.tools === 1 ? "call" : "calls"}` : "",
    row.tokens > 0 ? `${row.tokens.toLocaleString("en")} tokens` : "",
    row.cost > 0 ? costText(row.cost) : "",
    row.problem,
    row.exit ? `Took ${row.exit.label || "its transition"} to ${row.exit.targets.join(", ")}` : "",
  ];
  return parts.filter(Boolean).join("\n");
}

const shortCount = (count: number): string =>
  count >= 10_000 ? `${Math.round(count / 1000)}k` : count.toLocaleString("en");

export function MarkRow({
  row,
  place,
  current,
  later,
  showLog,
}: RowState & { showLog: () => void }) {
  const { what, detail, tone } = eventLine(row.event);
  return (
    <div
      role="listitem"
      className={`story-mark ${tone}`}
      style={place}
      data-story-mark={row.event.type}
      data-current={current || undefined}
      data-later={later || undefined}
    >
      <button type="button" title={detail} onClick={() => openEvent(row.event, showLog)}>
        <span>{what}</span> <span className="muted truncate">{detail}</span>
      </button>
    </div>
  );
}

export function EventRow({
  event,
  place,
  showLog,
}: {
  event: RunEvent;
  place: Place;
  showLog: () => void;
}) {
  const { what, detail, tone } = eventLine(event);
  return (
    <div role="listitem" className={`story-event ${tone}`} style={place}>
      <button
        type="button"
        title={`Event ${event.n}: ${detail}`}
        data-story-event={event.n}
        onClick={() => openEvent(event, showLog)}
      >
        <Mono kind="n">{event.n}</Mono>
        <span>{what}</span>
        <span className="muted truncate" translate="no">
          {detail}
        </span>
      </button>
    </div>
  );
}

function openEvent(event: RunEvent, showLog: () => void): void {
  runStore.seek(event.n);
  showLog();
}
