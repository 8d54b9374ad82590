import { afterEach, describe, expect, it, vi } from "vitest";
import { createStore } from "zustand/vanilla";
import { get, Unreachable } from "../api";
import { notifyError } from "./notices";
import type { SessionState } from "./state";

const store = () => createStore<SessionState>(() => ({ notices: [] }) as unknown as SessionState);

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("notices of errors", () => {
  it("shows a lost server until some seconds after its next answer", async () => {
    vi.useFakeTimers();
    const shown = store();
    notifyError(shown, new Unreachable("refused"));
    vi.advanceTimersByTime(60_000);
    expect(shown.getState().notices).toHaveLength(1);
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 200 })));
    await get("packs/");
    expect(shown.getState().notices).toHaveLength(1);
    vi.advanceTimersByTime(6_000);
    expect(shown.getState().notices).toHaveLength(0);
  });

  it("keeps other errors until a person dismisses them", async () => {
    vi.useFakeTimers();
    const shown = store();
    notifyError(shown, new Error("Not this way."));
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 200 })));
    await get("packs/");
    vi.advanceTimersByTime(60_000);
    expect(shown.getState().notices).toHaveLength(1);
  });
});
