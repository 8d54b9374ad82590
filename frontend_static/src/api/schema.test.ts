import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Generating the schema takes a second, but a minute on a loaded machine. */
const A_MINUTE = 60_000;

test(
  "the types match the committed OpenAPI document; if not, run `make openapi`",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-types-"));
    const made = join(folder, "schema.ts");
    execFileSync(process.execPath, ["types.mjs", made]);
    const text = readFileSync(made, "utf8");
    rmSync(folder, { recursive: true });
    expect(text).toBe(readFileSync(join("src", "api", "schema.ts"), "utf8"));
  },
  A_MINUTE,
);
