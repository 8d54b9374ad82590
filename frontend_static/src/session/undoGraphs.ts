import type { GraphMaps } from "./state";

/** More steps would keep too many versions of a large graph. */
const MOST_STEPS = 30;

/**
 * The graphs around the edits of this page, for undo and redo to show before the server answers.
 * Call `clear` after a change from elsewhere, because steps must follow each other.
 */
export class UndoGraphs {
  private steps: Record<"undo" | "redo", GraphMaps[]> = { undo: [], redo: [] };

  /** An edit was saved on top of this graph. */
  edited(before: GraphMaps): void {
    this.steps = { undo: [...this.steps.undo, before].slice(-MOST_STEPS), redo: [] };
  }

  /** The graph that the next undo or redo is expected to give; null if it is unknown. */
  expected(direction: "undo" | "redo"): GraphMaps | null {
    return this.steps[direction].at(-1) ?? null;
  }

  /** An undo or redo was saved on top of this graph. */
  tookBack(direction: "undo" | "redo", before: GraphMaps): void {
    this.steps[direction].pop();
    this.steps[direction === "undo" ? "redo" : "undo"].push(before);
  }

  clear(): void {
    this.steps = { undo: [], redo: [] };
  }
}
