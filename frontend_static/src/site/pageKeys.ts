import { openPalette, openShortcuts, type Entry } from "../ui/commandPalette";
import { keyedCommands, listedKeys, packsNamed, pageCommands } from "./pageCommands";
import { combinationOf, isTyping, keyOf, withCtrl } from "../ui/keys";

/** The command palette with Ctrl+K, the list of shortcuts with ?, and the keys of this page. */
export function listenForPageKeys(): void {
  for (const [mark, open] of [
    ["[data-open-palette]", openPagePalette],
    ["[data-open-shortcuts]", openPageShortcuts],
  ] as const) {
    const button = document.querySelector<HTMLElement>(mark);
    if (!button) continue;
    button.hidden = false;
    button.addEventListener("click", open);
  }
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog:modal")) return;
    if (combinationOf(event) === "Ctrl+K") return act(event, openPagePalette);
    if (withCtrl(event) || event.altKey || isTyping(event.target)) return;
    if (keyOf(event) === "?") return act(event, openPageShortcuts);
    const command = keyedCommands().find((one) => one.keys.includes(keyOf(event)));
    if (command) act(event, command.run);
  });
}

function act(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  run();
}

const openPagePalette = () =>
  openPalette("Where to go, or the name of a pack", pageCommands(), packsNamed);

function openPageShortcuts(): void {
  const everywhere: Entry[] = [
    { title: "Command palette", group: "Everywhere", keys: ["Ctrl+K"], run: openPagePalette },
    { title: "Keyboard shortcuts", group: "Everywhere", keys: ["?"], run: openPageShortcuts },
  ];
  openShortcuts(
    [...everywhere, ...keyedCommands(), ...listedKeys()],
    "The editor has shortcuts of its own: press ? there.",
  );
}
