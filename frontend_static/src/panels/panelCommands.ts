/** The commands of the panels. */

import { runMenuEntries, runStore } from "../run";
import { useEffect } from "react";
import {
  allCommands,
  packs,
  registerCommands,
  registerMenu,
  session,
  type Command,
} from "../session";
import { toggleTheme } from "../theme/theme";
import { openPalette, openShortcuts, type Entry } from "../ui/commandPalette";
import { panels } from "./panelState";
import { showElement } from "./showElement";
import { EDIT_PROMPT, promptEntries } from "./prompt/editPrompt";
import { fetchRepository } from "./upstream/UpstreamBadge";
import { upstreams } from "./upstream/upstreamStore";
import { siteUrl } from "../ui/siteUrl";

const onServer = () => session.state.page !== "demo";
const isEditable = () => session.state.phase === "ready" && !session.state.readOnly;
const showsPack = () => session.state.phase === "ready" && session.state.page !== "run";
const follows = () => isEditable() && upstreams.state.upstream !== null;
const isOpen = () => session.state.pack !== null && onServer();

function download(zip: boolean): void {
  const { pack } = session.state;
  if (pack !== null)
    void session.whenSaved().then(() => location.assign(packs.exportAddress(pack, { zip })));
}

function nextFinding(direction: 1 | -1): void {
  const { findings, element } = session.state;
  const elements = [...new Set(findings.map((one) => one.element || "pack"))];
  const at = elements.indexOf(element);
  const next = elements[(at + direction + elements.length) % elements.length];
  if (next) session.focus(next);
}

/** Change the width of the inspector. The selected state stays in view. */
function toggleWidePrompt(): void {
  panels.toggleWidePrompt();
  const { element } = session.state;
  if (element.startsWith("state:")) session.bringIntoView(element);
}

/** Focus the inspector directly. Tabbing through the cards would change the selection. */
function enterInspector(): void {
  panels.set({ inspector: true });
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>("[aria-label=Inspector] .pane-body")?.focus(),
  );
}

/** The groups of commands in the order of the list of shortcuts. */
const GROUPS = ["Edit", "Canvas", "Select", "Go", "View", "Run", "Help"] as const;

const inGroups = (commands: Command[]): Command[] =>
  GROUPS.flatMap((group) => commands.filter((one) => one.group === group));

/** Commands that can be run now, states, and the other elements of the pack. */
function possibleEntries(): Entry[] {
  const { fullGraph, outline } = session.state;
  const entry = (element: string, title: string, group: string): Entry => ({
    title,
    group,
    keys: [],
    run: () => showElement(element),
  });
  return [
    ...allCommands().filter((one) => one.possible?.() !== false && one.name !== "commands"),
    ...[...fullGraph.states.keys()].map((id) => entry(`state:${id}`, id, "State")),
    ...outline.flatMap(({ title, items }) =>
      items
        .filter((item) => !item.element.startsWith("state:"))
        .map((item) => entry(item.element, item.label, title)),
    ),
  ];
}

/** The name of the command that the prompt's button runs. */
export const WIDE_PROMPT = "prompt.wide";

const COMMANDS: Command[] = [
  {
    name: "commands",
    title: "Command palette",
    group: "Help",
    keys: ["Ctrl+K"],
    run: () => openPalette("What do you want to do, or where to go?", possibleEntries()),
  },
  {
    name: "help",
    title: "Keyboard shortcuts",
    group: "Help",
    keys: ["?"],
    run: () => openShortcuts(inGroups(allCommands())),
  },
  {
    name: "pane.left",
    title: "Show or hide the left pane",
    group: "View",
    keys: ["["],
    run: () => panels.toggle("sidebar"),
  },
  {
    name: "pane.right",
    title: "Show or hide the inspector",
    group: "View",
    keys: ["]"],
    run: () => panels.toggle("inspector"),
  },
  {
    name: WIDE_PROMPT,
    title: "Widen or narrow the prompt",
    group: "View",
    keys: ["W", "Ctrl+."],
    run: toggleWidePrompt,
  },
  {
    name: "pane.drawer",
    title: "Show or hide the drawer",
    group: "View",
    keys: ["`"],
    run: () => panels.toggle(session.state.page === "run" ? "runDrawer" : "drawer"),
  },
  {
    name: "show.palette",
    title: "Show the palette",
    group: "View",
    keys: ["Shift+P"],
    run: () => panels.showSidebar("palette"),
    possible: onServer,
  },
  {
    name: "show.outline",
    title: "Show the outline",
    group: "View",
    keys: ["Shift+O"],
    run: () => panels.showSidebar("outline"),
  },
  {
    name: "show.files",
    title: "Show the files",
    group: "View",
    keys: [],
    run: () => panels.showSidebar("files"),
  },
  {
    name: "show.findings",
    title: "Show the findings",
    group: "View",
    keys: ["Shift+F"],
    run: () => panels.showDrawer("findings"),
  },
  {
    name: "show.text",
    title: "Show the text",
    group: "View",
    keys: ["Shift+T"],
    run: () => panels.showDrawer("text"),
  },
  {
    name: "show.find",
    title: "Find and replace in the pack",
    group: "Go",
    keys: ["Ctrl+Shift+F", "Ctrl+H"],
    run: () => panels.showDrawer("find"),
    possible: isEditable,
  },
  {
    name: "show.diff",
    title: "Show the difference",
    group: "View",
    keys: ["Shift+D"],
    run: () => panels.showDrawer("diff"),
    possible: onServer,
  },
  {
    name: "show.history",
    title: "Show the history",
    group: "View",
    keys: ["Shift+H"],
    run: () => panels.showDrawer("history"),
    possible: onServer,
  },
  {
    name: "theme",
    title: "Switch between light and dark",
    group: "View",
    keys: [],
    run: toggleTheme,
  },
  {
    name: "finding.next",
    title: "Next finding",
    group: "Go",
    keys: ["F8"],
    run: () => nextFinding(1),
  },
  {
    name: "finding.previous",
    title: "Previous finding",
    group: "Go",
    keys: ["Shift+F8"],
    run: () => nextFinding(-1),
  },
  {
    name: "go.inspector",
    title: "Go to the inspector",
    group: "Go",
    keys: ["I"],
    run: enterInspector,
  },
  {
    name: "gallery",
    title: "All packs",
    group: "Go",
    keys: [],
    run: () => location.assign(siteUrl("/")),
    possible: onServer,
  },
  {
    name: "pack.new",
    title: "New pack",
    group: "Go",
    keys: [],
    run: () => location.assign(siteUrl("/packs/new/")),
    possible: onServer,
  },
  {
    name: "docs",
    title: "Documentation",
    group: "Go",
    keys: [],
    run: () => location.assign(siteUrl("/help/")),
    possible: onServer,
  },
  {
    name: "runs",
    title: "All runs",
    group: "Go",
    keys: [],
    run: () => location.assign(siteUrl("/runs/")),
    possible: onServer,
  },
  {
    name: "run.start",
    title: "Run…",
    group: "Run",
    keys: ["Ctrl+Enter"],
    run: () => panels.open("start-run"),
    possible: isEditable,
  },
  {
    name: "result",
    title: "Show the result of the run",
    group: "Run",
    keys: [],
    run: () => panels.set({ drawerTab: "result", drawer: true, runDrawer: true }),
    possible: () => runStore.store.getState().id !== null,
  },
  {
    name: "rehearse",
    title: "Rehearse",
    group: "Run",
    keys: ["Shift+R"],
    run: () => panels.showDrawer("coverage"),
    possible: showsPack,
  },
  {
    name: "recorded-run",
    title: "Open a recorded run…",
    group: "Run",
    keys: [],
    run: () => panels.open("recorded-run"),
    possible: () => session.state.phase === "ready" && onServer(),
  },
  {
    name: "assistant",
    title: "Ask the assistant",
    group: "Edit",
    keys: [],
    run: () => panels.showDrawer("assistant"),
    possible: onServer,
  },
  {
    name: "tools",
    title: "Tools: what they do…",
    group: "Run",
    keys: [],
    run: () => panels.open("tools"),
    possible: isEditable,
  },
  {
    name: "models",
    title: "Model choices…",
    group: "Run",
    keys: [],
    run: () => panels.open("models"),
    possible: isEditable,
  },
  {
    name: "export.download",
    title: "Download",
    group: "Go",
    keys: ["Ctrl+S"],
    run: () => download(false),
    possible: isOpen,
  },
  {
    name: "export.zip",
    title: "Download as zip",
    group: "Go",
    keys: [],
    run: () => download(true),
    possible: isOpen,
  },
  {
    name: "export",
    title: "Export…",
    group: "Go",
    keys: ["Shift+E"],
    run: () => panels.open("export"),
    possible: isOpen,
  },
  {
    name: "convert",
    title: "Convert to another dialect…",
    group: "Go",
    keys: [],
    run: () => panels.open("convert"),
    possible: isEditable,
  },
  {
    name: "export.git",
    title: "Export to a git repository…",
    group: "Go",
    keys: [],
    run: () => panels.open("git"),
    possible: isEditable,
  },
  {
    name: "commit",
    title: "Commit…",
    group: "Go",
    keys: [],
    run: () => panels.open("commit"),
    possible: () => isEditable() && Boolean(session.state.folder?.checkout),
  },
  {
    name: "upstream.pull",
    title: "Pull from the repository…",
    group: "Go",
    keys: [],
    run: () => panels.open("pull"),
    possible: follows,
  },
  {
    name: "upstream.propose",
    title: "Propose to the repository…",
    group: "Go",
    keys: [],
    run: () => panels.open("propose"),
    possible: () => follows() && !upstreams.state.upstream?.repository.git_wins,
  },
  {
    name: "upstream.follow",
    title: "Follow another branch…",
    group: "Go",
    keys: [],
    run: () => panels.open("follow-branch"),
    possible: follows,
  },
  {
    name: "upstream.fetch",
    title: "Fetch the repository",
    group: "Go",
    keys: [],
    run: () => void fetchRepository(),
    possible: follows,
  },
];

const showInspector = (): void => panels.set({ inspector: true });

/** Register the commands, and the entries of the canvas's menu that open a pane. */
export function usePanelCommands(): void {
  useEffect(() => registerCommands([...COMMANDS, EDIT_PROMPT]), []);
  useEffect(
    () =>
      registerMenu((place) => [...promptEntries(place), ...runMenuEntries(place, showInspector)]),
    [],
  );
}
