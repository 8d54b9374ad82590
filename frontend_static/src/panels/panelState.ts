/** The state of the panes: which are open, their sizes, tabs and dialogs. Stored in the browser. */

import { createStore, useStore } from "zustand";

export type SidebarTab = "story" | "palette" | "outline" | "files";

export interface Dialog {
  name:
    | "conflict"
    | "commit"
    | "git"
    | "export"
    | "convert"
    | "start-run"
    | "rehearse"
    | "recorded-run"
    | "tools"
    | "pull"
    | "follow-branch"
    | "propose"
    | "models";
}

export interface PanelState {
  sidebar: boolean;
  sidebarTab: SidebarTab;
  /** The tab while a run is shown. */
  runSidebarTab: SidebarTab;
  sidebarWidth: number;
  inspector: boolean;
  inspectorWidth: number;
  /** The inspector is as wide as a prompt needs. */
  widePrompt: boolean;
  /** Its width then, in pixels; 0 for a share of the window. */
  widePromptWidth: number;
  /** Groups of forms that were opened or closed, by name. */
  folds: Readonly<Record<string, boolean>>;
  drawer: boolean;
  /** On a run's page the drawer holds the run log, and is open at first. */
  runDrawer: boolean;
  drawerTab: string;
  drawerHeight: number;
  dialog: Dialog["name"] | null;
  /** The file in the Text tab, and the line to jump to. */
  file: string | null;
  jump: { line: number; n: number } | null;
  /** The field that the inspector should scroll to, as a JSON pointer. */
  field: { pointer: string; n: number } | null;
  filter: string;
  /** The panes have their content. The graph is drawn first, and does not wait for it. */
  filled: boolean;
}

/** The stored fields, each with its name in storage. */
const STORED_NAMES = {
  sidebar: "left",
  sidebarTab: "leftTab",
  sidebarWidth: "leftWidth",
  inspector: "right",
  inspectorWidth: "rightWidth",
  widePrompt: "widePrompt",
  widePromptWidth: "widePromptWidth",
  folds: "folds",
  drawer: "drawer",
  runDrawer: "runDrawer",
  drawerTab: "drawerTab",
  drawerHeight: "drawerHeight",
} as const satisfies Partial<Record<keyof PanelState, string>>;
const STORED_FIELDS = Object.keys(STORED_NAMES) as (keyof typeof STORED_NAMES)[];
const STORAGE_KEY = "signalbox.panes";

export const DEFAULT_DRAWER_HEIGHT = 260;

/** The width of a wide inspector in a window of this width, before its edge was dragged. */
export const defaultPromptWidth = (window: number): number =>
  Math.round(Math.max(480, Math.min(900, window * 0.42)));

const INITIAL: PanelState = {
  sidebar: true,
  sidebarTab: "palette",
  runSidebarTab: "story",
  sidebarWidth: 240,
  inspector: true,
  inspectorWidth: 320,
  widePrompt: false,
  widePromptWidth: 0,
  folds: {},
  drawer: false,
  runDrawer: true,
  drawerTab: "findings",
  drawerHeight: DEFAULT_DRAWER_HEIGHT,
  dialog: null,
  file: null,
  jump: null,
  field: null,
  filter: "",
  filled: false,
};

function loadStored(): Partial<PanelState> {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Record<string, unknown>;
    const valid = STORED_FIELDS.filter(
      (name) => typeof stored[STORED_NAMES[name]] === typeof INITIAL[name],
    );
    return Object.fromEntries(valid.map((name) => [name, stored[STORED_NAMES[name]]]));
  } catch {
    return {};
  }
}

/** In a window of at most this width, in pixels, panes cover the canvas (pane.css). */
const NARROW = 900;
const isNarrow = (): boolean => (globalThis.innerWidth ?? Infinity) <= NARROW;

/** The canvas comes first in a narrow window. */
const closed = (): Partial<PanelState> =>
  isNarrow() ? { sidebar: false, inspector: false, drawer: false, runDrawer: false } : {};

const store = createStore<PanelState>(() => ({ ...INITIAL, ...loadStored(), ...closed() }));

/** In a narrow window one pane at a time is open. */
store.subscribe((now, before) => {
  if (!isNarrow() || !now.sidebar || !now.inspector) return;
  store.setState(before.sidebar ? { sidebar: false } : { inspector: false });
});

store.subscribe(() => {
  const state = store.getState();
  const stored = STORED_FIELDS.map((name) => [STORED_NAMES[name], state[name]]);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(stored)));
  } catch {
    // Without storage the panes still work.
  }
});

let requestCount = 0;

export const panels = {
  get state(): PanelState {
    return store.getState();
  },
  set: store.setState,
  toggle: (pane: "sidebar" | "inspector" | "drawer" | "runDrawer"): void =>
    store.setState({ [pane]: !store.getState()[pane] }),
  /** Store whether a group of a form is open. */
  fold: (group: string, open: boolean): void =>
    store.setState(({ folds }) => ({ folds: { ...folds, [group]: open } })),
  /** Widen the prompt, or reset its width; opens the inspector. */
  toggleWidePrompt: (): void =>
    store.setState(({ widePrompt, inspector }) => ({
      inspector: true,
      widePrompt: !(widePrompt && inspector),
    })),
  open: (dialog: Dialog["name"]): void => store.setState({ dialog }),
  close: (): void => store.setState({ dialog: null }),
  showDrawer: (drawerTab: string): void => store.setState({ drawer: true, drawerTab }),
  showSidebar: (sidebarTab: SidebarTab): void =>
    store.setState({ sidebar: true, sidebarTab, runSidebarTab: sidebarTab }),
  /** Open a file in the Text tab, at a line if one is given. */
  showFile: (file: string, line = 0): void => {
    const jump = line > 0 ? { line, n: ++requestCount } : null;
    store.setState({ file, jump, drawer: true, drawerTab: "text" });
  },
  showField: (pointer: string): void =>
    store.setState({ inspector: true, field: { pointer, n: ++requestCount } }),
};

export function usePanels<S>(select: (state: PanelState) => S): S {
  return useStore(store, select);
}
