/** The name of a downloaded drawing, from the names of the pack and of the shown level. */

// Characters that a file name cannot have on one of the common systems.
const UNFIT = /[\\/:*?"<>|\u0000-\u001f\u007f]+/g;
const MOST_LETTERS = 100;

export function fileName(pack: string, level: string, ending: string): string {
  const name = [pack, level]
    .map((part) => part.replace(UNFIT, "-").replace(/^[\s.-]+|[\s.-]+$/g, ""))
    .filter(Boolean)
    .join(" ");
  return `${[...name].slice(0, MOST_LETTERS).join("") || "drawing"}.${ending}`;
}
