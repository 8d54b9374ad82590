type Axis = "vertical" | "horizontal";

const STEPS: Record<Axis, Readonly<Record<string, number>>> = {
  vertical: { ArrowDown: 1, ArrowUp: -1 },
  horizontal: { ArrowRight: 1, ArrowLeft: -1 },
};

/**
 * The index that gets the focus after a key in a menu or a row of tabs, or null if the key does not
 * move it. Arrow keys wrap around; `current` is -1 if no item has the focus.
 */
export function focusStep(key: string, current: number, count: number, axis: Axis): number | null {
  if (count === 0) return null;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = STEPS[axis][key];
  if (!step) return null;
  if (current < 0) return step > 0 ? 0 : count - 1;
  return (current + step + count) % count;
}
