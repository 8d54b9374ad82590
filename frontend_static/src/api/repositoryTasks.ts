/** Answers of requests whose work may continue in the background. */

import { ApiError, get } from "./client";
import type { RepositoryTask } from "./types";

const POLL_MS = 1000;

/** Receives the newest progress line of a task. */
export type OnProgress = (line: string) => void;

const isTask = (answer: object): answer is RepositoryTask =>
  "kind" in answer && "progress" in answer && "started_at" in answer;

/**
 * The answer itself, or the result of the task that the server answered with. Throws ApiError if
 * the task fails.
 */
export async function settled<T extends object>(
  answer: T | RepositoryTask,
  onProgress: OnProgress = () => undefined,
  pause: () => Promise<unknown> = () => new Promise((done) => setTimeout(done, POLL_MS)),
): Promise<T> {
  if (!isTask(answer)) return answer;
  let task: RepositoryTask = answer;
  while (task.status === "running") {
    onProgress(task.progress);
    await pause();
    task = await get<RepositoryTask>(`repositories/${task.repository}/tasks/${task.id}/`);
  }
  if (task.status === "failed")
    throw new ApiError(422, "repository", task.problem, "", "repository", {});
  return task.result as T;
}
