/** Completion of variables inside placeholders and statements; elsewhere with Ctrl+Space. */

import {
  pickedCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import type { Variable } from "./promptConfig";

const PLACEHOLDER = /\{\{[ \t]*[\w.]*/;
const STATEMENT = /\{%[^%\n]*?[\w.]*/;
const NAME = /[\w.]*$/;

export type CompletionInput = () => { variables: readonly Variable[]; path: string };

export const variableCompletion =
  (offered: CompletionInput) =>
  (context: CompletionContext): CompletionResult | null => {
    const { variables, path } = offered();
    const placeholder = context.matchBefore(PLACEHOLDER);
    const statement = placeholder ? null : context.matchBefore(STATEMENT);
    if (!placeholder && !statement && !context.explicit) return null;
    const name =
      NAME.exec(context.state.sliceDoc(Math.max(0, context.pos - 200), context.pos))?.[0] ?? "";
    // Inside a statement, complete only a word that has begun.
    if (statement && !name && !context.explicit) return null;
    const put = placeholder ? intoBraces : statement ? asIs : withBraces;
    return {
      from: context.pos - name.length,
      options: variables.map((one) => option(one, path, put)),
      validFor: /^[\w.]*$/,
    };
  };

type InsertStyle = (
  view: EditorView,
  name: string,
  from: number,
  to: number,
) => { insert: string; end: number };

function option(one: Variable, path: string, put: InsertStyle): Completion {
  const here = one.places.includes(path);
  return {
    label: one.name,
    detail: here ? one.about : `no value here · ${one.about}`,
    type: here ? "variable" : "absent",
    boost: here ? 1 : -50,
    apply: (view, completion, from, to) => {
      const { insert, end } = put(view, one.name, from, to);
      view.dispatch({
        changes: { from, to: end, insert },
        selection: { anchor: from + insert.length },
        annotations: pickedCompletion.of(completion),
        userEvent: "input.complete",
      });
    },
  };
}

/** After `{{`: insert a space on both sides and the closing braces, unless they exist. */
const intoBraces: InsertStyle = (view, name, from, to) => {
  const lead = view.state.sliceDoc(from - 1, from) === "{" ? " " : "";
  const closed = /^[ \t]*\}\}/.exec(view.state.sliceDoc(to, to + 8))?.[0] ?? "";
  return { insert: `${lead}${name} }}`, end: to + closed.length };
};
const asIs: InsertStyle = (_view, name, _from, to) => ({ insert: name, end: to });
const withBraces: InsertStyle = (_view, name, _from, to) => ({ insert: `{{ ${name} }}`, end: to });
