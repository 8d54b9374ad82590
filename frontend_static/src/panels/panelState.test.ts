import { afterEach, expect, test, vi } from "vitest";

let stored: Map<string, string>;

async function loadPanels(value: object) {
  stored = new Map([["signalbox.panes", JSON.stringify(value)]]);
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
  });
  vi.resetModules();
  return (await import("./panelState")).panels;
}

afterEach(() => vi.unstubAllGlobals());

test("stored panes are loaded and saved under their storage names", async () => {
  const panels = await loadPanels({ left: false, leftTab: "files", leftWidth: 300, right: false });
  expect(panels.state).toMatchObject({ sidebar: false, sidebarTab: "files", sidebarWidth: 300 });
  expect(panels.state).toMatchObject({ inspector: false, inspectorWidth: 320 });
  panels.toggle("inspector");
  expect(JSON.parse(stored.get("signalbox.panes") ?? "")).toMatchObject({
    left: false,
    right: true,
  });
});

test("values of another type are ignored", async () => {
  const panels = await loadPanels({ left: "yes", leftWidth: "wide", drawerTab: 3 });
  expect(panels.state).toMatchObject({ sidebar: true, sidebarWidth: 240, drawerTab: "findings" });
});
