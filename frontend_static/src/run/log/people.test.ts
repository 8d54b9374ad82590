/** The table of the events that people cause, which `tests/engine/test_people.py` reads too. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Conversation } from "../inspector/Conversation";
import { Results } from "../inspector/Results";
import { modelCalls } from "../inspector/modelCalls";
import { visitsOf } from "../inspector/visits";
import type { RunEvent } from "../model/events";
import { StoryBuilder, problemOf, storyTotals } from "../story/story";
import { eventLine } from "./eventLine";
import { actOf } from "./people";

interface Row {
  kind: string;
  event: { type: string; [field: string]: unknown };
  words: string;
  detail: string;
  tone: string;
}

const FILE = join("..", "tests", "vectors", "people.json");
const ROWS = JSON.parse(readFileSync(FILE, "utf8")) as Row[];
const at = (n: number, event: Row["event"]): RunEvent => ({ n, at: n, ...event });

test.each(ROWS)("$kind: $words", ({ event, words, detail, tone }) => {
  const done = at(4, event);
  expect(actOf(done)).toMatchObject({ words, detail });
  const shown = eventLine(done);
  expect(`${shown.what} · ${shown.detail}`).toContain(words);
  expect(shown.tone).toBe(tone);
  const failed = tone === "bad" && event.type === "command.finished";
  expect(problemOf(done) !== "").toBe(failed);
});

const REQUESTS: Readonly<Record<string, string>> = {
  "model.replied": "model.asked",
  "tool.returned": "tool.asked",
  "command.finished": "command.asked",
  "approval.given": "approval.asked",
};

test.each(ROWS.filter(({ event }) => event.state ?? event.source))(
  "the inspector of the state has the words: $kind",
  ({ event, words }) => {
    const place = { key: "0:1", position: "0", state: "review" };
    const request = { type: REQUESTS[event.type] ?? "check.passed", effect: { messages: [] } };
    const log = [
      at(1, { type: "run.started" }),
      at(2, { type: "state.entered", ...place, visit: 1 }),
      at(3, { ...request, ...place, name: "look", command: ["make"], question: "Well?" }),
      at(4, event),
    ];
    const [visit] = visitsOf(log, "review");
    const calls = modelCalls(log);
    for (const part of [Conversation, Results])
      expect(renderToStaticMarkup(createElement(part, { visit: visit!, calls, log }))).toContain(
        words,
      );
  },
);

// The second form is that of older logs.
test.each(["tool.asked", "tool.called"])("a denied %s is no call and no failure", (request) => {
  const place = { position: "0", state: "review" };
  expect(eventLine(at(3, { type: request, ...place, key: "0:1", effect: {} })).what).toBe(
    "ask for tool",
  );
  const story = new StoryBuilder([
    at(1, { type: "run.started" }),
    at(2, { type: "state.entered", ...place, visit: 1 }),
    at(3, { type: request, ...place, key: "0:1", name: "look", effect: {} }),
    at(4, { type: "tool.returned", ...place, key: "0:1", error: "No.", result: "", by: "ada" }),
  ]);
  story.update();
  expect(story.rows.at(-1)).toMatchObject({ state: "review", tools: 0, failures: 0 });
  expect(storyTotals(story.rows).failures).toBe(0);
});
