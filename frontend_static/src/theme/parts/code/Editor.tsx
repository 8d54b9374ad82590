import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { look } from "./look";
import type { CodeProps, Language, Mark } from "./types";

/** A CodeMirror editor whose text is committed as a whole: on leaving it and on Ctrl+Enter. */
export default function Editor(props: CodeProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const now = useRef(props);
  now.current = props;

  useEffect(() => {
    if (!box.current) return;
    const made = new EditorView({
      parent: box.current,
      state: EditorState.create({ doc: props.value, extensions: extensions(props, now) }),
    });
    view.current = made;
    return () => {
      commit(made, now.current);
      made.destroy();
    };
    // One editor per file and mode; what else changes is carried over below.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [props.language, props.readOnly, props.label]);

  useEffect(() => follow(view.current, props.value), [props.value]);
  useEffect(() => mark(view.current, props.marks ?? []), [props.marks, props.value]);
  useEffect(() => {
    if (props.jump) jumpTo(view.current, props.jump.line);
  }, [props.jump, props.value]);

  return <div className={props.fill ? "code fill" : "code"} ref={box} />;
}

function extensions(props: CodeProps, now: { current: CodeProps }): Extension[] {
  const big = props.fill ?? false;
  return [
    look(),
    history(),
    search({ top: true }),
    highlightSelectionMatches(),
    bracketMatching(),
    indentOnInput(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": props.label, tabindex: "0" }),
    EditorState.readOnly.of(props.readOnly ?? false),
    big ? [lineNumbers(), foldGutter(), lintGutter()] : [],
    props.placeholder ? placeholder(props.placeholder) : [],
    LANGUAGES[props.language](),
    keymap.of([
      { key: "Mod-Enter", run: (view) => (commit(view, now.current), true) },
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...(big ? [indentWithTab] : []),
    ]),
    EditorView.domEventHandlers({ blur: (_event, view) => commit(view, now.current) }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) now.current.onChange?.(update.state.doc.toString());
    }),
  ];
}

const LANGUAGES: Record<Language, () => Extension> = {
  json: () => json(),
  markdown: () => markdown(),
  prompt: () => markdown(),
  yaml: () => [],
  text: () => [],
};

function commit(view: EditorView, props: CodeProps): void {
  const text = view.state.doc.toString();
  if (!props.readOnly && text !== normal(props.value)) props.onCommit?.(text);
}

/** CodeMirror keeps lines apart and joins them with \n; comparing must do the same. */
function normal(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Take over a text that changed outside, unless the person is just typing in it. */
function follow(view: EditorView | null, value: string): void {
  if (!view || view.hasFocus || view.state.doc.toString() === normal(value)) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
}

function mark(view: EditorView | null, marks: readonly Mark[]): void {
  if (!view) return;
  const lines = view.state.doc.lines;
  const diagnostics = marks
    .filter((one) => one.line >= 1 && one.line <= lines)
    .map((one) => {
      const line = view.state.doc.line(one.line);
      const severity = one.level === "hint" ? ("info" as const) : one.level;
      return { from: line.from, to: line.to, severity, message: one.message };
    });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function jumpTo(view: EditorView | null, number: number): void {
  if (!view || number < 1 || number > view.state.doc.lines) return;
  const line = view.state.doc.line(number);
  view.dispatch({
    selection: { anchor: line.from, head: line.to },
    effects: EditorView.scrollIntoView(line.from, { y: "center" }),
  });
}
