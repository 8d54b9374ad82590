const DISABLED_TITLE = "Choose two runs of one pack to compare them";

/** The table of runs: two runs of one pack are chosen, then they can be compared. */
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
  // A page that comes back out of the browser's memory has its boxes as they were left.
  addEventListener("pageshow", show);
  show();
}
