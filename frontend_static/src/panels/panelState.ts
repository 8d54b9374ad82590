/** What the panes remember: which are open, how wide, which tab, which dialog. Kept in this browser. */

import { createStore, useStore } from "../ui/store";

export type LeftTab = "palette" | "outline" | "files";

export interface Dialog {
  name: "conflict" | "git" | "export" | "convert" | "help" | "commands" | "start-run" | "rehearse" | "tools" | "models";
}

export interface Ui {
  left: boolean;
  leftTab: LeftTab;
  leftWidth: number;
  right: boolean;
  rightWidth: number;
  drawer: boolean;
  /** On the page of a run the drawer holds its log, and starts open. */
  runDrawer: boolean;
  drawerTab: string;
  drawerHeight: number;
  dialog: Dialog["name"] | null;
  /** The file of the Text tab, and where to jump in it. */
  file: string | null;
  jump: { line: number; n: number } | null;
  /** The field the inspector should bring into view, as a JSON pointer. */
  field: { pointer: string; n: number } | null;
  filter: string;
}

const KEPT = ["left", "leftTab", "leftWidth", "right", "rightWidth", "drawer", "runDrawer", "drawerTab", "drawerHeight"] as const;
const PLACE = "signalbox.panes";

const INITIAL: Ui = {
  left: true,
  leftTab: "palette",
  leftWidth: 240,
  right: true,
  rightWidth: 320,
  drawer: false,
  runDrawer: true,
  drawerTab: "findings",
  drawerHeight: 260,
  dialog: null,
  file: null,
  jump: null,
  field: null,
  filter: "",
};

function remembered(): Partial<Ui> {
  try {
    const said = JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<Ui>;
    return Object.fromEntries(
      KEPT.filter((name) => typeof said[name] === typeof INITIAL[name]).map((name) => [name, said[name]]),
    );
  } catch {
    return {};
  }
}

const store = createStore<Ui>({ ...INITIAL, ...remembered() });

store.subscribe(() => {
  const now = store.get();
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, now[name]]))));
  } catch {
    // A browser that keeps nothing still shows the panes.
  }
});

let asked = 0;

export const ui = {
  get state(): Ui {
    return store.get();
  },
  set: store.set,
  toggle: (pane: "left" | "right" | "drawer" | "runDrawer"): void => store.set({ [pane]: !store.get()[pane] }),
  open: (dialog: Dialog["name"]): void => store.set({ dialog }),
  close: (): void => store.set({ dialog: null }),
  showDrawer: (drawerTab: string): void => store.set({ drawer: true, drawerTab }),
  showLeft: (leftTab: LeftTab): void => store.set({ left: true, leftTab }),
  /** Open a file in the Text tab, at a line where one is given. */
  showFile: (file: string, line = 0): void => {
    const jump = line > 0 ? { line, n: ++asked } : null;
    store.set({ file, jump, drawer: true, drawerTab: "text" });
  },
  showField: (pointer: string): void => store.set({ right: true, field: { pointer, n: ++asked } }),
};

export function useUi<S>(select: (ui: Ui) => S): S {
  return useStore(store, select);
}
