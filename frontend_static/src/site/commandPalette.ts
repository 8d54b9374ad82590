import { fuzzyMatch } from "../ui/fuzzyMatch";
import { createElement } from "./dom";
import { packsNamed, pageCommands, type PageCommand } from "./pageCommands";
import { keysOf, openDialog } from "./pageDialog";
import { keyOf } from "../ui/keys";

const PAUSE_MS = 120;

/** The command palette of the Django pages: places, actions, and packs by name. */
export function openPalette(): void {
  const commands = pageCommands();
  const input = createElement("input", {
    className: "input command-input",
    placeholder: "Where to go, or the name of a pack",
  });
  const list = createElement("ul", { className: "command-list", id: "command-list" });
  const nothing = createElement("p", { className: "muted", textContent: "Nothing matches." });
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-label": "Command",
    "aria-expanded": "true",
    "aria-controls": "command-list",
  }))
    input.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Commands");
  const dialog = openDialog("Command palette", [input, list, nothing], { bare: true });
  let shown: PageCommand[] = [];
  let selected = 0;
  let packs: PageCommand[] = [];

  const select = (index: number) => {
    selected = index;
    [...list.children].forEach((row, at) =>
      row.setAttribute("aria-selected", at === selected ? "true" : "false"),
    );
    if (shown[selected]) input.setAttribute("aria-activedescendant", `command-${selected}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[selected]?.scrollIntoView({ block: "nearest" });
  };
  const run = (command: PageCommand | undefined) => {
    if (!command) return;
    dialog.close();
    command.run();
  };
  const show = () => {
    shown = [...fuzzyMatch(commands, input.value), ...packs];
    list.replaceChildren(
      ...shown.map((command, index) => {
        const row = createElement(
          "li",
          { id: `command-${index}` },
          createElement("span", { textContent: command.title }),
          createElement("span", { className: "muted small", textContent: command.group }),
          createElement("span", { className: "keys" }, ...keysOf(command.keys)),
        );
        row.setAttribute("role", "option");
        row.addEventListener("pointermove", () => select(index));
        row.addEventListener("click", () => run(command));
        return row;
      }),
    );
    nothing.hidden = shown.length > 0;
    select(0);
  };
  let waiting = 0;
  input.addEventListener("input", () => {
    const query = input.value;
    packs = [];
    show();
    clearTimeout(waiting);
    waiting = window.setTimeout(() => {
      void packsNamed(query).then(
        (found) => {
          if (input.value !== query) return;
          packs = found;
          show();
        },
        () => undefined, // Without the server, places and actions still work.
      );
    }, PAUSE_MS);
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[keyOf(event)];
    if (step && shown.length > 0) select((selected + step + shown.length) % shown.length);
    else if (keyOf(event) === "Enter") run(shown[selected]);
    else return;
    event.preventDefault();
  });
  show();
  input.focus();
}
