import { expect, test } from "vitest";
import { shortenPath, groupByFolder, sharedFolder } from "./groupByFolder";

const shown = (...paths: string[]) =>
  groupByFolder(paths.map((path) => ({ path }))).map((folder) => [
    folder.path,
    folder.files.map((one) => one.name),
  ]);

test.each([
  [["a.json"], ""],
  [["pack/a.json", "pack/b.md"], "pack/"],
  [["pack/a.json", "pack/prompts/b.md"], "pack/"],
  [["pack/x/a.json", "packs/x/b.md"], ""],
  [[], ""],
] as [string[], string][])("the common folder of %j is %j", (paths, folder) => {
  expect(sharedFolder(paths)).toBe(folder);
});

test("files are grouped by folder, with top-level files first", () => {
  expect(shown("bot/prompts/b.md", "bot/agent.json", "bot/prompts/a.md")).toEqual([
    ["", ["agent.json"]],
    ["prompts", ["b.md", "a.md"]],
  ]);
});

test.each([
  ["prompts/steps", "prompts/steps"],
  ["facilitator/prompts/steps/closure/report", "…/prompts/steps/closure/report"],
  [
    "a-single-folder-with-a-very-long-name-indeed",
    "…/a-single-folder-with-a-very-long-name-indeed",
  ],
])("the path %s is shown as %s", (path, shown) => {
  expect(shortenPath(path)).toBe(shown);
});
