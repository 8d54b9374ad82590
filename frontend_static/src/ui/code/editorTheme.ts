/**
 * The CodeMirror theme: our tokens for both colour schemes, with the page's nonce for its styles.
 */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { cspNonce } from "../cspNonce";

const theme = EditorView.theme({
  "&": {
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    fontSize: "12px",
    borderRadius: "inherit",
  },
  "&.cm-focused": { outline: "none" },
  // The text fills the editor, so that a click below the last line puts the cursor there.
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "18px",
    alignItems: "stretch !important",
  },
  ".cm-content": { padding: "6px 0", caretColor: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--text-2)",
    border: "none",
    paddingLeft: "4px",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": {
    backgroundColor: "color-mix(in srgb, var(--surface-2) 60%, transparent)",
  },
  ".cm-placeholder": { color: "var(--text-2)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--selection)" },
  ".cm-panels": { backgroundColor: "var(--surface-2)", color: "var(--text)" },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    boxShadow: "var(--shadow-2)",
  },
  ".cm-slot": {
    color: "var(--accent)",
    backgroundColor: "var(--accent-soft)",
    borderRadius: "3px",
    boxShadow: "0 0 0 1px var(--accent-soft)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warning-soft)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--surface-2)",
    border: "none",
    color: "var(--text-2)",
  },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.heading], color: "var(--accent)" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: [tags.string, tags.monospace], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--kind-8)" },
  { tag: [tags.link, tags.url], color: "var(--hint)" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "600" },
  {
    tag: [tags.comment, tags.meta, tags.processingInstruction, tags.quote],
    color: "var(--text-2)",
  },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "var(--text-2)" },
]);

const placeholderMatcher = new MatchDecorator({
  regexp: /\{\{[^{}\n]*\}\}|\{uv-[^{}\n]*\}|\{%[^\n]*?%\}/g,
  decoration: Decoration.mark({ class: "cm-slot" }),
});

/** Marks the placeholders of all dialects' prompts. */
const placeholders = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = placeholderMatcher.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = placeholderMatcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** With `plain`, placeholders have no mark: the prompt editor colours them by kind. */
export function editorTheme({ plain = false } = {}): Extension[] {
  const nonce = cspNonce();
  return [
    theme,
    syntaxHighlighting(highlight),
    plain ? [] : placeholders,
    nonce ? EditorView.cspNonce.of(nonce) : [],
  ];
}
