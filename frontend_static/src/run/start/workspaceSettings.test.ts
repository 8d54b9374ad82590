import { expect, test } from "vitest";
import { workspaceBody } from "./workspaceSettings";

test.each([
  [{ kind: "", path: "/a", ref: "main" }, {}],
  [{ kind: "pack", path: "/a", ref: "main" }, {}],
  [{ kind: "folder", path: " /a ", ref: "main" }, { workspace: { kind: "folder", path: "/a" } }],
  [{ kind: "git", path: "/a", ref: "" }, { workspace: { kind: "git", path: "/a", ref: "" } }],
] as const)("%j: %j", (settings, body) => {
  expect(workspaceBody(settings)).toEqual(body);
});
