import { expect, test } from "vitest";
import { reasonText } from "./reasonText";

test.each([
  ["max_model_calls 3 reached limit 3", "3 model calls; the limit is 3"],
  ["max_wall_time_sec 90 reached limit 60", "90 s; the limit is 60 s"],
  ["max_cost 0.75 reached limit 0.5", "$0.75; the limit is $0.5"],
  ["Stopped: max_tokens 1e+06 reached limit 1e+06", "Stopped: 1e+06 tokens; the limit is 1e+06"],
  ["max_llamas 3 reached limit 3", "max_llamas 3 reached limit 3"],
  ["The reviewer refused.", "The reviewer refused."],
])("%s", (reason, shown) => {
  expect(reasonText(reason)).toBe(shown);
});
