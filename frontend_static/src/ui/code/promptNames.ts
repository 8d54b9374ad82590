/** Names in prompts: completion, a colour for each kind of name, and a mark on unknown names. */

import {
  autocompletion,
  completionKeymap,
  pickedCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { StateEffect, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import {
  canDeclare,
  matchingNames,
  namePlaces,
  placeholderNames,
  typedName,
  typedTool,
  type PromptNames,
} from "./placeholders";
import { completionTheme } from "./completionTheme";

/** Dispatched when the names have changed, so that marks are drawn again. */
export const namesChanged = StateEffect.define<null>();

/** The extension reads the newest names each time, because an editor outlives its props. */
export function promptNames(read: () => PromptNames | undefined): Extension[] {
  return [
    autocompletion({
      override: [(context) => complete(context, read())],
      icons: false,
      activateOnTypingDelay: 0,
      // Completion opens on the opening mark, so it needs no delay against accidental choices.
      interactionDelay: 0,
    }),
    keymap.of(completionKeymap),
    // The first one has the inner elements.
    nameMarks(read, unknownMarks),
    nameMarks(read, kindMarks),
    completionTheme,
    theme,
  ];
}

function complete(
  context: CompletionContext,
  now: PromptNames | undefined,
): CompletionResult | null {
  if (!now) return null;
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const name = typedName(before, now);
  if (name === null) return completeTool(context, now, before);
  const options = matchingNames(name, now.names).map((one) => ({
    label: one.name,
    detail: one.help || one.kind,
    apply: insertName(now),
  }));
  const fresh: Completion[] = canDeclare(name, now)
    ? [{ label: name, displayLabel: `Declare “${name}”`, apply: insertName(now, true) }]
    : [];
  // Not filtered by CodeMirror, which would put the new name first.
  return {
    from: context.pos - name.length,
    options: [...options, ...fresh],
    filter: false,
    // At once, so that Enter takes the name that fits what is typed.
    update: (_current, _from, _to, next) => complete(next, now),
  };
}

function completeTool(
  context: CompletionContext,
  now: PromptNames,
  before: string,
): CompletionResult | null {
  const typed = typedTool(before, context.explicit);
  const found = typed === null ? [] : matchingNames(typed, now.tools);
  // A whole name is not offered again, so that Enter ends the line.
  if (typed === null || found.every((one) => one.name === typed)) return null;
  return {
    from: context.pos - typed.length,
    options: found.map((one) => ({ label: one.name, detail: one.help || one.kind })),
    filter: false,
    update: (_current, _from, _to, next) => {
      const line = next.state.doc.lineAt(next.pos);
      return completeTool(next, now, line.text.slice(0, next.pos - line.from));
    },
  };
}

/** Insert the name, and the closing mark if it is missing. */
const insertName =
  (now: PromptNames, declare = false) =>
  (view: EditorView, completion: Completion, from: number, to: number): void => {
    const closed = view.state.sliceDoc(to, to + now.closing.length) === now.closing;
    const insert = completion.label + (closed ? "" : now.closing);
    const end = from + completion.label.length + now.closing.length;
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: end },
      annotations: pickedCompletion.of(completion),
      userEvent: "input.complete",
    });
    if (declare) now.declare?.(completion.label);
  };

type Marks = (text: string, now: PromptNames) => DecorationSet;

const kindMarks: Marks = (text, now) =>
  Decoration.set(
    namePlaces(text, now).map(({ kind, from, to, help }) =>
      Decoration.mark({
        class: `cm-name cm-name-${kind}`,
        attributes: help ? { title: help } : {},
      }).range(from, to),
    ),
  );

const unknownMark = (name: string) =>
  Decoration.mark({
    class: "cm-unknown-name",
    attributes: { title: `“${name}” is not declared: no run gives it a value.` },
  });

const unknownMarks: Marks = (text, now) => {
  if (!now.complete) return Decoration.none;
  const known = new Set(now.names.map((one) => one.name));
  const unknown = placeholderNames(text, now).filter((one) => !known.has(one.name));
  return Decoration.set(unknown.map(({ name, from, to }) => unknownMark(name).range(from, to)));
};

/** Marks of the whole text, drawn again when it or the names change. */
function nameMarks(read: () => PromptNames | undefined, marksOf: Marks): Extension {
  const marks = (view: EditorView): DecorationSet => {
    const now = read();
    return now ? marksOf(view.state.doc.toString(), now) : Decoration.none;
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = marks(view);
      }
      update(update: ViewUpdate) {
        const changed = update.transactions.some((one) =>
          one.effects.some((effect) => effect.is(namesChanged)),
        );
        if (update.docChanged || changed) this.decorations = marks(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

const theme = EditorView.theme({
  ".cm-name": { backgroundColor: "var(--surface-2)", borderRadius: "3px" },
  ...Object.fromEntries(
    ["variable", "fragment", "run", "tool", "unknown"].map((kind) => [
      `.cm-name-${kind}, .cm-name-${kind} *`,
      { color: `var(--name-${kind})` },
    ]),
  ),
  ".cm-unknown-name": {
    textDecoration: "underline wavy var(--warning)",
    textUnderlineOffset: "3px",
  },
});
