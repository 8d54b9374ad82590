import { openPalette } from "./commandPalette";
import { createElement } from "./dom";
import { keyedCommands, listedKeys, type PageCommand } from "./pageCommands";
import { keysOf, openDialog } from "./pageDialog";

/** A field of a dialog that just closed has focus for one more frame, so it must be visible. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.checkVisibility() &&
  (target.isContentEditable || target.closest("input, textarea, select, [role=textbox]") !== null);

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
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const withCtrl = event.ctrlKey || event.metaKey;
    if (withCtrl && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k")
      return act(event, openPalette);
    if (withCtrl || event.altKey || isTyping(event.target)) return;
    if (event.key === "?") return act(event, openShortcuts);
    const command = keyedCommands().find((one) => one.keys.includes(event.key));
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
