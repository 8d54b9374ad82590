import { get } from "../api/client";
import type { RepositoryTask } from "../api/types";

const POLL_MS = 1000;

/** Shows the progress of a repository's task, and reloads the page when it has ended. */
export function followRepositoryTask(): void {
  const notice = document.querySelector<HTMLElement>("[data-task]");
  if (!notice) return;
  const { task, repository } = notice.dataset;
  let leaving = false;
  addEventListener("beforeunload", () => (leaving = true), { once: true });
  const line = notice.querySelector("[data-progress]");
  const turn = async () => {
    try {
      const now = await get<RepositoryTask>(`repositories/${repository}/tasks/${task}/`);
      if (now.status !== "running") {
        // A reload would replace the page that a click is loading.
        if (!leaving) location.reload();
        return;
      }
      if (line) line.textContent = now.progress;
    } catch {
      // The server may be restarting. The task continues with it.
    }
    setTimeout(() => void turn(), POLL_MS);
  };
  setTimeout(() => void turn(), POLL_MS);
}
