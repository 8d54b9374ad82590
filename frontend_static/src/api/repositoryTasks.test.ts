import { afterEach, expect, test, vi } from "vitest";
import { settled } from "./repositoryTasks";
import type { RepositoryTask } from "./types";

const task = (changes: Partial<RepositoryTask>): RepositoryTask => ({
  id: 3,
  repository: 7,
  kind: "propose",
  title: "A proposal",
  status: "running",
  progress: "",
  started_at: "2026-11-25T10:00:00+00:00",
  finished_at: null,
  problem: "",
  result: null,
  ...changes,
});

function serve(...answers: RepositoryTask[]) {
  const fetch = vi.fn(async () => new Response(JSON.stringify(answers.shift()), { status: 200 }));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

afterEach(() => vi.unstubAllGlobals());
const soon = () => Promise.resolve();

test("an answer that is no task is returned", async () => {
  const fetch = serve();
  expect(await settled({ commit: "abc" })).toEqual({ commit: "abc" });
  expect(fetch).not.toHaveBeenCalled();
});

test("a task is followed to its result, with its progress", async () => {
  serve(
    task({ progress: "Receiving objects: 40% (4/10)" }),
    task({ status: "done", result: { commit: "abc" } }),
  );
  const lines: string[] = [];
  const done = await settled<{ commit: string }>(task({}), (line) => lines.push(line), soon);
  expect(done).toEqual({ commit: "abc" });
  expect(lines).toEqual(["", "Receiving objects: 40% (4/10)"]);
});

test("a task that fails throws its sentence", async () => {
  serve(task({ status: "failed", problem: "The host refused the credential." }));
  await expect(settled(task({}), undefined, soon)).rejects.toThrow("refused the credential");
});
