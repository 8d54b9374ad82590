/** What the panels can do, under the names that menu, palette, keys and help share. */

import { useEffect } from "react";
import { packs, register, session, type Command } from "../session";
import { toggleTheme } from "../theme/theme";
import { ui } from "./panelState";

const editing = () => session.state.phase === "ready" && !session.state.readOnly;
const opened = () => session.state.pack !== null;

function download(zip: boolean): void {
  const { pack } = session.state;
  if (pack !== null) void session.saved().then(() => location.assign(packs.exportAddress(pack, { zip })));
}

function nextFinding(direction: 1 | -1): void {
  const { findings, element } = session.state;
  const places = [...new Set(findings.map((one) => one.element || "pack"))];
  const at = places.indexOf(element);
  const next = places[(at + direction + places.length) % places.length];
  if (next) session.focus(next);
}

/** Past the cards of the canvas, whose focus would choose another state on the way. */
function enterInspector(): void {
  ui.set({ right: true });
  requestAnimationFrame(() => document.querySelector<HTMLElement>("[aria-label=Inspector] .pane-body")?.focus());
}

const COMMANDS: Command[] = [
  { name: "commands", title: "Command palette", group: "Help", keys: ["Ctrl+K"], run: () => ui.open("commands") },
  { name: "help", title: "Keyboard shortcuts", group: "Help", keys: ["?"], run: () => ui.open("help") },
  { name: "pane.left", title: "Show or hide the left pane", group: "View", keys: ["["], run: () => ui.toggle("left") },
  { name: "pane.right", title: "Show or hide the inspector", group: "View", keys: ["]"], run: () => ui.toggle("right") },
  { name: "pane.drawer", title: "Show or hide the drawer", group: "View", keys: ["`"], run: () => ui.toggle(session.state.readOnly ? "runDrawer" : "drawer") },
  { name: "show.palette", title: "Show the palette", group: "View", keys: ["Shift+P"], run: () => ui.showLeft("palette") },
  { name: "show.outline", title: "Show the outline", group: "View", keys: ["Shift+O"], run: () => ui.showLeft("outline") },
  { name: "show.files", title: "Show the files", group: "View", keys: [], run: () => ui.showLeft("files") },
  { name: "show.findings", title: "Show the findings", group: "View", keys: ["Shift+F"], run: () => ui.showDrawer("findings") },
  { name: "show.text", title: "Show the text", group: "View", keys: ["Shift+T"], run: () => ui.showDrawer("text") },
  { name: "show.diff", title: "Show the difference", group: "View", keys: ["Shift+D"], run: () => ui.showDrawer("diff") },
  { name: "show.history", title: "Show the history", group: "View", keys: ["Shift+H"], run: () => ui.showDrawer("history") },
  { name: "theme", title: "Switch between light and dark", group: "View", keys: [], run: toggleTheme },
  { name: "finding.next", title: "Next finding", group: "Go", keys: ["F8"], run: () => nextFinding(1) },
  { name: "finding.previous", title: "Previous finding", group: "Go", keys: ["Shift+F8"], run: () => nextFinding(-1) },
  { name: "go.inspector", title: "Go to the inspector", group: "Go", keys: ["I"], run: enterInspector },
  { name: "gallery", title: "All packs", group: "Go", keys: [], run: () => location.assign("/") },
  { name: "runs", title: "All runs", group: "Go", keys: [], run: () => location.assign("/runs/") },
  { name: "run.start", title: "Run…", group: "Run", keys: ["Ctrl+Enter"], run: () => ui.open("start-run"), possible: editing },
  { name: "rehearse", title: "Rehearse", group: "Run", keys: ["Shift+R"], run: () => ui.showDrawer("coverage"), possible: editing },
  { name: "tools", title: "Tools: what they do…", group: "Run", keys: [], run: () => ui.open("tools"), possible: editing },
  { name: "models", title: "Models: who is asked…", group: "Run", keys: [], run: () => ui.open("models"), possible: editing },
  { name: "export.download", title: "Download", group: "Go", keys: ["Ctrl+S"], run: () => download(false), possible: opened },
  { name: "export.zip", title: "Download as zip", group: "Go", keys: [], run: () => download(true), possible: opened },
  { name: "export", title: "Export…", group: "Go", keys: ["Shift+E"], run: () => ui.open("export"), possible: opened },
  { name: "convert", title: "Convert to another dialect…", group: "Go", keys: [], run: () => ui.open("convert"), possible: editing },
  { name: "export.git", title: "Export to a git repository…", group: "Go", keys: [], run: () => ui.open("git"), possible: editing },
];

export function usePanelCommands(): void {
  useEffect(() => register(COMMANDS), []);
}
