import { get } from "../api/client";
import type { Run } from "../api/runTypes";
import { costText } from "../ui/formatTime";
import { isFinished, statusLabel } from "../run/model/events";
import { reasonText } from "../run/model/reasonText";
import { updateTimes } from "./relativeTimes";

const ACTIVE_POLL_MS = 1500;
const IDLE_POLL_MS = 8000;

/** Keeps the runs table up to date. A line above it offers to show new runs. */
export function pollRuns(): void {
  const table = document.querySelector<HTMLElement>("[data-runs]");
  if (!table) return;
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const turn = async () => {
    let wait = IDLE_POLL_MS;
    try {
      if (!document.hidden) {
        const { results } = await get<{ results: Run[] }>("runs/", query);
        for (const run of results) update(table, run);
        offerNew(table, results, query);
        if (results.some((run) => !isFinished(run.status))) wait = ACTIVE_POLL_MS;
      }
      table.removeAttribute("data-stale");
    } catch {
      table.dataset.stale = "true";
    }
    setTimeout(() => void turn(), wait);
  };
  for (const cell of table.querySelectorAll<HTMLElement>("[data-path]"))
    drawPath(cell, (cell.textContent ?? "").split(" → ").filter(Boolean));
  void turn();
}

function update(table: HTMLElement, run: Run): void {
  const row = table.querySelector<HTMLElement>(`[data-run="${CSS.escape(run.id)}"]`);
  const badge = row?.querySelector<HTMLElement>("[data-run-status]");
  if (!row || !badge) return;
  badge.dataset.runStatus = run.status;
  badge.className = `badge ${run.status}`;
  badge.textContent = statusLabel(run.status);
  badge.title = reasonText(run.reason);
  const tokens = row.querySelector("[data-tokens]");
  const used = run.input_tokens + run.output_tokens;
  if (tokens && used > 0) tokens.textContent = used.toLocaleString("en");
  const cost = row.querySelector("[data-cost]");
  if (cost && run.cost > 0) cost.textContent = costText(run.cost);
  const last = row.querySelector("[data-last]");
  if (last) last.textContent = String(run.last);
  const path = row.querySelector<HTMLElement>("[data-path]");
  if (path) drawPath(path, run.path);
}

/** Draw the run's path as a strip with one mark per state. */
function drawPath(cell: HTMLElement, path: string[]): void {
  const strip = document.createElement("span");
  strip.className = "path-strip";
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", path.join(", then "));
  for (const state of path) {
    const mark = document.createElement("i");
    mark.dataset.hue = String(hueOf(state));
    mark.title = state;
    strip.append(mark);
  }
  const name = document.createElement("span");
  name.textContent = ` ${path.at(-1) ?? ""}`;
  cell.replaceChildren(strip, name);
  cell.title = path.join(" → ");
}

function hueOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return 1 + (sum % 8);
}

function offerNew(table: HTMLElement, results: Run[], query: Record<string, string>): void {
  if (query.page && query.page !== "1") return;
  const newRuns = results.filter(
    (run) => !table.querySelector(`[data-run="${CSS.escape(run.id)}"]`),
  );
  const existing = document.querySelector<HTMLElement>("[data-new-runs]");
  if (newRuns.length === 0 || newRuns.length === results.length) return existing?.remove();
  const words =
    newRuns.length === 1 ? "One new run. Show it." : `${newRuns.length} new runs. Show them.`;
  if (existing) {
    existing.textContent = words;
    return;
  }
  const link = document.createElement("a");
  link.className = "notice hint";
  link.dataset.newRuns = "true";
  link.href = location.href;
  link.textContent = words;
  table.before(link);
  updateTimes(table);
}
