const DISABLED_TITLE = "Choose two runs of one pack to compare them";

/** Lets the user choose two runs of one pack in the runs table, and compare them. */
export function chooseRunsToCompare(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-compare]");
  if (!button) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>("input[data-of-pack]")];
  const show = () => {
    const selected = boxes.filter((box) => box.checked);
    const pack = selected[0]?.dataset.ofPack;
    for (const box of boxes)
      box.disabled =
        !box.checked && pack !== undefined && (box.dataset.ofPack !== pack || selected.length > 1);
    button.disabled = selected.length !== 2;
    button.title = button.disabled ? DISABLED_TITLE : "";
  };
  for (const box of boxes) box.addEventListener("change", show);
  // A page restored from the browser's cache keeps its checked boxes.
  addEventListener("pageshow", show);
  show();
}
