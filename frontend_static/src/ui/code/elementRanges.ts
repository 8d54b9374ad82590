/** The elements of a text: which one is at the cursor, and where one is. Ranges follow typing. */

import { StateEffect, StateField, Transaction, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { ElementRange } from "./types";

export interface OffsetRange {
  element: string;
  from: number;
  to: number;
}

const setRanges = StateEffect.define<OffsetRange[]>();
const setRevealed = StateEffect.define<string | null>();

const ranges = StateField.define<OffsetRange[]>({
  create: () => [],
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setRanges)) return effect.value;
    if (!transaction.docChanged) return value;
    return value.map((one) => ({
      element: one.element,
      from: transaction.changes.mapPos(one.from, 1),
      to: transaction.changes.mapPos(one.to, -1),
    }));
  },
});

const revealed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setRevealed)) continue;
      const found = transaction.state
        .field(ranges)
        .filter(
          (one) =>
            one.element === effect.value && one.to - one.from < transaction.state.doc.length * 0.8,
        );
      const lines = new Set<number>();
      for (const one of found)
        for (let at = one.from; at <= one.to;) {
          const line = transaction.state.doc.lineAt(at);
          lines.add(line.from);
          at = line.to + 1;
        }
      return Decoration.set([...lines].sort((a, b) => a - b).map((at) => LINE.range(at)));
    }
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
const LINE = Decoration.line({ class: "cm-element" });

const FOLLOWED = /^(select|input|delete|undo|redo|move)/;

/** Track the ranges, and report the elements that the user's cursor enters. */
export function elementRanges(onCursor: (elements: string[]) => void): Extension {
  let last = "";
  return [
    ranges,
    revealed,
    EditorView.updateListener.of((update) => {
      const byUser = update.transactions.some((one) =>
        FOLLOWED.test(String(one.annotation(Transaction.userEvent) ?? "")),
      );
      if (!byUser || !(update.selectionSet || update.docChanged)) return;
      const found = elementsAt(
        update.state.field(ranges),
        update.state.doc,
        update.state.selection.main.head,
      );
      const key = found.join("\n");
      if (key === last && !update.selectionSet) return;
      last = key;
      onCursor(found);
    }),
  ];
}

export function showRanges(view: EditorView, list: readonly ElementRange[]): void {
  const { doc } = view.state;
  const at = (line: number, column: number) =>
    Math.min(doc.line(Math.min(Math.max(line, 1), doc.lines)).from + column, doc.length);
  const offsets = list.map((one) => ({
    element: one.element,
    from: at(one.line, one.column),
    to: at(one.end_line, one.end_column),
  }));
  view.dispatch({ effects: setRanges.of(offsets) });
}

/** Mark an element's lines and scroll to it. False if it is not in this text. */
export function revealElement(view: EditorView, element: string, move: boolean): boolean {
  const found = view.state.field(ranges).find((one) => one.element === element);
  view.dispatch({ effects: setRevealed.of(found ? element : null) });
  if (!found || !move) return found !== undefined;
  view.dispatch({
    selection: { anchor: found.from },
    effects: EditorView.scrollIntoView(found.from, { y: "start", yMargin: 24 }),
  });
  return true;
}

const isDrawn = ({ element }: OffsetRange): boolean => /^(state|transition):/.test(element);

/**
 * The innermost elements at an offset; if they are not drawn, the drawn one around them follows.
 * Indentation belongs to what follows it, and the end of a line
 * with its comma to what it ends.
 */
export function elementsAt(list: readonly OffsetRange[], doc: Text, offset: number): string[] {
  const line = doc.lineAt(offset);
  const first = line.from + line.text.search(/\S|$/);
  const last = line.from + line.text.replace(/[\s,]+$/, "").length;
  const at = last > first ? Math.min(Math.max(offset, first), last) : offset;
  const inner = list.filter((one) => one.from <= at && at <= one.to);
  const best = smallest(inner);
  if (!best) return [];
  const same = inner.filter((one) => one.from === best.from && one.to === best.to);
  const drawn = same.filter(isDrawn);
  const around = smallest(inner.filter(isDrawn));
  const found = drawn.length ? drawn : around ? [...same, around] : same;
  return found.map((one) => one.element);
}

const smallest = (list: readonly OffsetRange[]): OffsetRange | null =>
  list.reduce<OffsetRange | null>(
    (least, one) => (least === null || one.to - one.from < least.to - least.from ? one : least),
    null,
  );
