import { EditorView } from "@codemirror/view";

/** The look of the list of completions. */
export const completionTheme = EditorView.theme({
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", fontSize: "12px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", color: "var(--text)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-fill)",
    color: "var(--on-accent)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": {
    fontFamily: "var(--font-ui)",
    fontStyle: "normal",
    color: "var(--text-2)",
  },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
});
