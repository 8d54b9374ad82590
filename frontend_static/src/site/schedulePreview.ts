import { get } from "../api/client";
import type { components } from "../api/schema";

type DueTimes = components["schemas"]["DueTimes"];

const PAUSE_MS = 300;

/** Shows the next times of a schedule while it is being edited. */
export function previewSchedules(): void {
  for (const form of document.querySelectorAll("form")) {
    const cron = form.querySelector<HTMLInputElement>("[data-cron]");
    const zone = form.querySelector<HTMLInputElement>("[data-zone]");
    const line = form.querySelector<HTMLElement>("[data-due]");
    if (!cron || !zone || !line) continue;
    const hint = [...line.childNodes];
    let requestNumber = 0;
    const show = async () => {
      const mine = ++requestNumber;
      const result = await dueTimes(cron.value.trim(), zone.value.trim());
      if (mine !== requestNumber) return;
      line.dataset.due = result.wrong ? "wrong" : "known";
      line.replaceChildren(...(result.text ? [result.text] : hint));
    };
    let timer = 0;
    const soon = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => void show(), PAUSE_MS);
    };
    cron.addEventListener("input", soon);
    zone.addEventListener("input", soon);
  }
}

async function dueTimes(cron: string, timezone: string): Promise<{ text: string; wrong: boolean }> {
  if (!cron) return { text: "", wrong: false };
  try {
    const { next, problem } = await get<DueTimes>("due-times/", { cron, timezone });
    if (problem) return { text: problem, wrong: true };
    return {
      text: `Next: ${next.map((time) => inTimeZone(time, timezone)).join(" · ")}`,
      wrong: false,
    };
  } catch (error) {
    return { text: error instanceof Error ? error.message : "", wrong: true };
  }
}

/** For example "Mon, Nov 23, 07:00", in the schedule's time zone. */
function inTimeZone(time: string, timeZone: string): string {
  const parts = {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  } as const;
  return new Date(time).toLocaleString(undefined, {
    ...parts,
    hour12: false,
    timeZone: timeZone || "UTC",
  });
}
