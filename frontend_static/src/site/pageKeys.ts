import { openPalette } from "./commandPalette";
import { createElement } from "./dom";
import { keyedCommands, listedKeys, type PageCommand } from "./pageCommands";
import { keysOf, openDialog } from "./pageDialog";
import { combinationOf, isTyping, keyOf, withCtrl } from "../ui/keys";

/** The command palette with Ctrl+K, the list of shortcuts with ?, and the keys of this page. */
export function listenForPageKeys(): void {
  for (const [mark, open] of [
    ["[data-open-palette]", openPalette],
    ["[data-open-shortcuts]", openShortcuts],
  ] as const) {
    const button = document.querySelector<HTMLElement>(mark);
    if (!button) continue;
    button.hidden = false;
    button.addEventListener("click", open);
  }
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog:modal")) return;
    if (combinationOf(event) === "Ctrl+K") return act(event, openPalette);
    if (withCtrl(event) || event.altKey || isTyping(event.target)) return;
    if (keyOf(event) === "?") return act(event, openShortcuts);
    const command = keyedCommands().find((one) => one.keys.includes(keyOf(event)));
    if (command) act(event, command.run);
  });
}

function act(event: KeyboardEvent, run: () => void): void {
  event.preventDefault();
  run();
}

function openShortcuts(): void {
  const everywhere: PageCommand[] = [
    { title: "Command palette", group: "Everywhere", keys: ["Ctrl+K"], run: openPalette },
    { title: "Keyboard shortcuts", group: "Everywhere", keys: ["?"], run: openShortcuts },
  ];
  const commands = [...everywhere, ...keyedCommands(), ...listedKeys()];
  const groups = [...new Set(commands.map((one) => one.group))].map((group) =>
    createElement(
      "section",
      {},
      createElement("h3", { textContent: group }),
      createElement(
        "dl",
        {},
        ...commands
          .filter((one) => one.group === group)
          .map((one) =>
            createElement(
              "div",
              {},
              createElement("dt", { textContent: one.title }),
              createElement("dd", {}, ...keysOf(one.keys)),
            ),
          ),
      ),
    ),
  );
  openDialog("Keyboard shortcuts", [
    createElement("div", { className: "shortcut-groups" }, ...groups),
    createElement("p", {
      className: "help",
      textContent: "The editor has shortcuts of its own: press ? there.",
    }),
  ]);
}
