import { useEffect, useMemo, useRef, useState } from "react";
import { useRunStore } from "../model/runStore";
import { EventRow, MarkRow, VisitRow } from "./storyRowParts";
import { itemAt, itemsOf, type StoryItem } from "./storyItems";
import type { StoryRow } from "./story";
import { story, useStoryState } from "./storyStore";

const SPARE = 400;

/** The rows of the story. Only visible rows are rendered. */
export function StoryRows({
  rows,
  now,
  showLog,
}: {
  rows: readonly StoryRow[];
  now: number;
  showLog: () => void;
}) {
  const expanded = useStoryState((state) => state.expanded);
  const shown = useRunStore((state) => state.at ?? state.last);
  const newest = useRunStore((state) => state.at === null);
  const follow = useStoryState((state) => state.follow);
  const paused = useRunStore((state) => state.status === "paused");
  const items = useMemo(() => itemsOf(rows, expanded), [rows, expanded]);
  const end = items.at(-1);
  const total = end ? end.top + end.height : 0;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  /** The place to which the list was scrolled last, by the reader or to follow the run. */
  const scrolledTo = useRef(0);
  const scrolled = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement) => {
    setTop(scrollTop);
    // A list that became shorter is at its end.
    const isUp = scrollTop < scrolledTo.current && scrollTop + clientHeight < scrollHeight - 1;
    if (newest && isUp) story.set({ follow: false });
    scrolledTo.current = scrollTop;
  };
  const [height, setHeight] = useState(400);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 400));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const current = useMemo(() => currentRow(rows, shown), [rows, shown]);
  useEffect(() => {
    const place = box.current;
    if (newest && !follow) return;
    const item = items.find((one) => one.row.id === current && !one.event);
    if (!place || !item) return;
    const above = item.top < place.scrollTop;
    const below = item.top + item.height > place.scrollTop + place.clientHeight;
    if (!above && !below) return;
    place.scrollTop = item.top - (newest ? place.clientHeight - 60 : 60);
    scrolledTo.current = place.scrollTop;
    // A row that is folded out does not move the list. Panes that open make the list lower.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [current, newest, height, follow]);
  const span = useMemo(() => spanOf(rows), [rows]);
  const scale = { from: span.from, to: Math.max(span.to, now, span.from + 0.001) };
  const first = itemAt(items, top - SPARE);
  const visible: StoryItem[] = [];
  for (let index = first; index < items.length; index += 1) {
    const item = items[index]!;
    if (item.top > top + height + SPARE) break;
    visible.push(item);
  }
  return (
    <div
      className="story-rows"
      ref={box}
      role="list"
      aria-label="Visits"
      onScroll={(event) => scrolled(event.currentTarget)}
    >
      <div className="story-space" role="presentation" style={{ height: total }}>
        {visible.map((item) => {
          const { row, event } = item;
          const place = { top: item.top, height: item.height };
          if (event)
            return (
              <EventRow key={`event-${event.n}`} event={event} place={place} showLog={showLog} />
            );
          const state = {
            current: row.id === current,
            later: row.id > shown,
            open: expanded.has(row.id),
          };
          return row.kind === "mark" ? (
            <MarkRow key={row.id} row={row} place={place} {...state} showLog={showLog} />
          ) : (
            <VisitRow
              key={row.id}
              row={row}
              place={place}
              {...state}
              scale={scale}
              now={now}
              paused={paused}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The id of the last row that begins at the shown event or before it; 0 for none. */
function currentRow(rows: readonly StoryRow[], shown: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.id <= shown) low = middle + 1;
    else high = middle;
  }
  return rows[low - 1]?.id ?? 0;
}

function spanOf(rows: readonly StoryRow[]): { from: number; to: number } {
  let to = 0;
  for (const row of rows) to = Math.max(to, row.until ?? row.at);
  return { from: rows[0]?.at ?? 0, to };
}
