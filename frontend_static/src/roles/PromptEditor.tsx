import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useRef, useState } from "react";
import { editorTheme } from "../ui/code/editorTheme";
import { variableCompletion } from "./variableCompletion";
import { editorOffset, type Problem } from "./problems";
import type { Variable } from "./promptConfig";
import { completionTheme } from "../ui/code/completionTheme";

export interface PromptEditorProps {
  /** JSON pointer of the text. */
  path: string;
  label: string;
  value: string;
  readOnly: boolean;
  placeholder: string;
  variables: readonly Variable[];
  /** The problems of `value`; null until they are known. */
  problems: readonly Problem[] | null;
  jump: { at: number; n: number } | null;
  onChange: (path: string, text: string) => void;
}

/** The editor state of each text with its undo history, and the newest props. */
interface EditorMemory {
  states: Map<string, EditorState>;
  props: PromptEditorProps;
}

/** The editor of one text. Each text keeps its undo history. */
export default function PromptEditor(props: PromptEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const { path } = props;
  const [memory] = useState<EditorMemory>(() => ({ states: new Map(), props }));
  memory.props = props;

  useEffect(() => {
    if (!box.current) return;
    const saved = memory.states.get(path);
    const doc = memory.props.value;
    const same = saved?.doc.toString() === normalizeLineEndings(doc);
    const state =
      saved && same ? saved : EditorState.create({ doc, extensions: extensions(memory) });
    const created = new EditorView({ parent: box.current, state });
    view.current = created;
    return () => {
      memory.states.set(path, created.state);
      created.destroy();
    };
  }, [path, memory, props.readOnly]);

  useEffect(
    () => showProblems(view.current, props.value, props.problems),
    [props.problems, props.value, path],
  );
  useEffect(() => {
    if (props.jump) jumpTo(view.current, props.jump.at);
  }, [props.jump, path]);

  return <div className="code fill" ref={box} />;
}

const normalizeLineEndings = (text: string) => text.replace(/\r\n?/g, "\n");

/** The extensions of one text. Callbacks read `memory.props`, because a state outlives its editor. */
function extensions(memory: EditorMemory): Extension[] {
  const { path, label, readOnly, placeholder: hint } = memory.props;
  return [
    editorTheme(),
    completionTheme,
    ownTheme,
    history(),
    search({ top: true }),
    highlightSelectionMatches(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "true" }),
    EditorState.readOnly.of(readOnly),
    lineNumbers(),
    lintGutter(),
    hint ? placeholder(hint) : [],
    markdown(),
    autocompletion({
      override: [variableCompletion(() => ({ variables: memory.props.variables, path }))],
      icons: false,
      activateOnTypingDelay: 0,
      // Completion opens on `{{`, so it needs no delay against accidental choices.
      interactionDelay: 0,
      optionClass: (one) => (one.type === "absent" ? "cm-absent" : ""),
    }),
    keymap.of([
      ...completionKeymap,
      ...lintKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) memory.props.onChange(path, update.state.doc.toString());
    }),
  ];
}

const ownTheme = EditorView.theme({
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { maxHeight: "240px" },
  ".cm-absent .cm-completionLabel": { color: "var(--text-2)" },
  ".cm-absent[aria-selected] .cm-completionLabel": { color: "inherit" },
});

function showProblems(
  view: EditorView | null,
  text: string,
  problems: readonly Problem[] | null,
): void {
  // Problems of another text than the shown one are ignored.
  if (!view || !problems || view.state.doc.toString() !== normalizeLineEndings(text)) return;
  const diagnostics = problems
    .filter((one) => one.end > one.start)
    .map((one) => ({
      from: editorOffset(text, one.start),
      to: editorOffset(text, one.end),
      severity: one.level === "error" ? ("error" as const) : ("warning" as const),
      message: one.message,
    }));
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function jumpTo(view: EditorView | null, at: number): void {
  if (!view) return;
  const place = Math.min(at, view.state.doc.length);
  view.dispatch({
    selection: { anchor: place },
    effects: EditorView.scrollIntoView(place, { y: "center" }),
  });
  view.focus();
}
