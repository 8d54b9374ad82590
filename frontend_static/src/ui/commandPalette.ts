import { createElement } from "./dom";
import { fuzzyMatch } from "./fuzzyMatch";
import { keyOf } from "./keys";
import { keysOf, openDialog } from "./pageDialog";

/** A command or a place, as the palette and the list of shortcuts show it. */
export interface Entry {
  title: string;
  group: string;
  keys: readonly string[];
  run: () => void;
}

const PAUSE_MS = 120;
const MOST_SHOWN = 60;

/**
 * The command palette: finds entries by their titles. `more` finds others on the server, which are
 * listed after these.
 */
export function openPalette(
  placeholder: string,
  entries: readonly Entry[],
  more?: (query: string) => Promise<Entry[]>,
): void {
  const input = createElement("input", { className: "input command-input", placeholder });
  const list = createElement("ul", { className: "plain command-list", id: "command-list" });
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
  let shown: Entry[] = [];
  let selected = 0;
  let found: Entry[] = [];

  const select = (index: number) => {
    selected = index;
    [...list.children].forEach((row, at) =>
      row.setAttribute("aria-selected", at === selected ? "true" : "false"),
    );
    if (shown[selected]) input.setAttribute("aria-activedescendant", `command-${selected}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[selected]?.scrollIntoView({ block: "nearest" });
  };
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    dialog.close();
    entry.run();
  };
  const show = () => {
    shown = [...fuzzyMatch(entries, input.value), ...found].slice(0, MOST_SHOWN);
    list.replaceChildren(
      ...shown.map((entry, index) => {
        const row = createElement(
          "li",
          { id: `command-${index}` },
          createElement("span", { textContent: entry.title }),
          createElement("span", { className: "muted small", textContent: entry.group }),
          createElement("span", { className: "keys" }, ...keysOf(entry.keys.slice(0, 1))),
        );
        row.setAttribute("role", "option");
        row.addEventListener("pointermove", () => select(index));
        row.addEventListener("click", () => run(entry));
        return row;
      }),
    );
    nothing.hidden = shown.length > 0;
    select(0);
  };
  let waiting = 0;
  input.addEventListener("input", () => {
    const query = input.value;
    found = [];
    show();
    clearTimeout(waiting);
    waiting = window.setTimeout(() => {
      void more?.(query).then(
        (answer) => {
          if (input.value !== query) return;
          found = answer;
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

/** The list of entries that have a key, by group. `note` is shown below it. */
export function openShortcuts(entries: readonly Entry[], note = ""): void {
  const keyed = entries.filter((one) => one.keys.length > 0);
  const groups = [...new Set(keyed.map((one) => one.group))].map((group) =>
    createElement(
      "section",
      {},
      createElement("h3", { textContent: group }),
      createElement(
        "dl",
        {},
        ...keyed
          .filter((one) => one.group === group)
          .map((one) =>
            createElement(
              "div",
              {},
              createElement("dt", { textContent: one.title }),
              createElement("dd", {}, ...keysOf(one.keys.slice(0, 2))),
            ),
          ),
      ),
    ),
  );
  openDialog("Keyboard shortcuts", [
    createElement("div", { className: "shortcut-groups" }, ...groups),
    ...(note ? [createElement("p", { className: "help", textContent: note })] : []),
  ]);
}
