const TWO_OF_A_PACK = "Choose two runs of one pack to compare them";

/** Enables the actions on runs by what is chosen in the list, and chooses all with one box. */
export function chooseRuns(): void {
  const compare = document.querySelector<HTMLButtonElement>("[data-compare]");
  if (!compare) return;
  const boxes = [...document.querySelectorAll<HTMLInputElement>("input[data-of-pack]")];
  const all = document.querySelector<HTMLInputElement>("[data-choose-all]");
  const actions = [...document.querySelectorAll<HTMLButtonElement>("[data-of-chosen]")];
  const count = document.querySelector<HTMLElement>("[data-chosen]");
  const show = () => {
    const chosen = boxes.filter((box) => box.checked);
    const packs = new Set(chosen.map((box) => box.dataset.ofPack));
    compare.disabled = chosen.length !== 2 || packs.size !== 1;
    compare.title = compare.disabled ? TWO_OF_A_PACK : "";
    for (const button of actions) button.disabled = chosen.length === 0;
    if (all) {
      all.checked = chosen.length > 0 && chosen.length === boxes.length;
      all.indeterminate = chosen.length > 0 && chosen.length < boxes.length;
    }
    if (count) count.textContent = chosen.length > 0 ? `${chosen.length} chosen` : "";
  };
  for (const box of boxes) box.addEventListener("change", show);
  all?.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  // A page restored from the browser's cache keeps its checked boxes.
  addEventListener("pageshow", show);
  show();
}
