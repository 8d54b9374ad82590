import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { editorTheme } from "./editorTheme";
import { elementRanges, revealElement, showRanges } from "./elementRanges";
import { baseOf, changeOf, mergeText } from "./mergeText";
import { namesChanged, promptNames } from "./promptNames";
import type { CodeProps, Language, Mark } from "./types";

/** A CodeMirror editor. Its parent decides when the text is stored. */
export default function Editor(props: CodeProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const now = useRef<EditorInputs>({ props, stored: props.value, sent: null });
  now.current.props = props;
  const named = props.names !== undefined;

  useEffect(() => {
    if (!box.current) return;
    const inputs = now.current;
    const doc = inputs.props.draft ?? inputs.props.value;
    const created = new EditorView({
      parent: box.current,
      state: EditorState.create({ doc, extensions: extensions(inputs.props, inputs) }),
    });
    view.current = created;
    if (inputs.props.autoFocus) focusEnd(created);
    return () => created.destroy();
    // A new editor for each file and mode; other props are applied by the effects below.
  }, [props.language, props.readOnly, props.label, props.taken, named]);

  useEffect(() => {
    now.current.sent = props.sent ?? null;
  }, [props.sent]);
  useEffect(() => mergeOutsideChange(view.current, now.current), [props.value]);
  useEffect(() => showMarks(view.current, props.marks ?? []), [props.marks, props.value]);
  useEffect(() => view.current?.dispatch({ effects: namesChanged.of(null) }), [props.names]);
  useEffect(() => {
    const here = view.current;
    // The ranges are those of the saved text. While the user's differs, the older ones follow it.
    if (here && props.ranges && here.state.doc.toString() === normalizeLineEndings(props.value))
      showRanges(here, props.ranges);
  }, [props.ranges, props.value]);
  useEffect(() => {
    if (view.current && props.reveal)
      revealElement(view.current, props.reveal.element, !view.current.hasFocus);
  }, [props.reveal, props.ranges]);
  useEffect(() => {
    if (props.jump) jumpToLine(view.current, props.jump.line);
  }, [props.jump]);

  return (
    <div
      className={props.fill ? "code fill" : "code"}
      ref={box}
      onMouseDown={(event) => {
        // The border belongs to the field, too.
        if (event.target !== box.current || !view.current) return;
        event.preventDefault();
        focusEnd(view.current);
      }}
    />
  );
}

/** The newest props, the text that the editor last received, and one that was sent since. */
interface EditorInputs {
  props: CodeProps;
  stored: string;
  sent: string | null;
}

/** Marks what another person changed, so that it does not count as typed. */
const outside = Annotation.define<boolean>();

function focusEnd(view: EditorView): void {
  view.dispatch({ selection: { anchor: view.state.doc.length } });
  view.focus();
}

function extensions(props: CodeProps, now: EditorInputs): Extension[] {
  const big = props.fill ?? false;
  return [
    editorTheme({ plain: props.names !== undefined }),
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
    props.names ? promptNames(() => now.props.names) : [],
    keymap.of([
      { key: "Mod-Enter", run: () => (now.props.onLeave?.(), true) },
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...(big ? [indentWithTab] : []),
    ]),
    elementRanges((elements) => now.props.onCursor?.(elements)),
    EditorView.domEventHandlers({ blur: () => now.props.onLeave?.() }),
    EditorView.updateListener.of((update) => {
      const typed = update.transactions.some((one) => one.docChanged && !one.annotation(outside));
      if (typed) now.props.onChange?.(update.state.doc.toString());
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

/** CodeMirror joins lines with \n, so comparisons must do the same. */
function normalizeLineEndings(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Merge an outside change with the user's uncommitted text. */
function mergeOutsideChange(view: EditorView | null, now: EditorInputs): void {
  if (!view) return;
  const mine = view.state.doc.toString();
  const theirs = normalizeLineEndings(now.props.value);
  const base = baseOf(normalizeLineEndings(now.stored), now.sent, theirs);
  const both = mergeText(base, mine, theirs);
  now.stored = now.props.value;
  if (base === now.sent) now.sent = null;
  // At the same place, the parent lets the user choose.
  if (both === null || both === mine) return;
  const { start, end, insert } = changeOf(mine, both);
  view.dispatch({ changes: { from: start, to: end, insert }, annotations: outside.of(true) });
  if (mine !== base) now.props.onChange?.(both);
}

function showMarks(view: EditorView | null, marks: readonly Mark[]): void {
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

function jumpToLine(view: EditorView | null, number: number): void {
  if (!view || number < 1 || number > view.state.doc.lines) return;
  const line = view.state.doc.line(number);
  view.dispatch({
    selection: { anchor: line.from, head: line.to },
    effects: EditorView.scrollIntoView(line.from, { y: "center" }),
  });
  // CodeMirror draws a selection only in a focused editor.
  view.focus();
}
