import { expect, test, vi } from "vitest";
import { session, type Form, type Json } from "../../session";
import { formContext } from "./formContext";

vi.mock("../../session", () => ({ session: { edit: vi.fn() } }));
vi.mock("../showElement", () => ({ showElement: vi.fn() }));

const edit = vi.mocked(session.edit);
const append = (entry: string) => (now: Json | undefined) => [...(now as string[]), entry];
const sent = () => edit.mock.lastCall?.[0].map((one) => "value" in one && one.value);

test("a change builds on those that are on their way, and not on a refused one", async () => {
  const values = { tags: ["a"], more: [{ name: "x" }] };
  const { commit } = formContext({ element: "pack", values } as unknown as Form, false, []);
  edit.mockReturnValue(new Promise(() => undefined));
  void commit("/tags", append("b"));
  void commit("/tags", append("c"));
  expect(sent()).toEqual([["a", "b", "c"]]);
  void commit("/more/0/name", "y");
  void commit("/more", (now) => [...(now as Json[]), {}]);
  expect(sent()).toEqual([[{ name: "y" }, {}]]);
  edit.mockResolvedValueOnce({ ok: false, error: { message: "No." } } as never);
  expect(await commit("/tags", ["refused"])).toBe("No.");
  void commit("/tags", append("d"));
  expect(sent()).toEqual([["a", "d"]]);
});
