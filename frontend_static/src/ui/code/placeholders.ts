/** Placeholders of prompts, as the dialect writes them. Pure. */

/** The names that a prompt can use. */
export interface PromptNames {
  names: readonly { name: string; kind: string; help: string }[];
  /** Marks around a name: `{{` and `}}`, or `{uv-` and `}`. */
  opening: string;
  closing: string;
  /** A name that is not in `names` has no value in a run. */
  complete: boolean;
  /** Declares a variable; undefined where that is not possible. */
  declare?: ((name: string) => void) | undefined;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The name typed so far, if the text ends inside a placeholder; null elsewhere. */
export function typedName(before: string, { opening }: PromptNames): string | null {
  const match = new RegExp(`${escaped(opening)}[ \\t]*([\\w.:[\\]-]*)$`).exec(before);
  return match?.[1] ?? null;
}

/** The names that contain the typed text, those that begin with it first. */
export function matchingNames(typed: string, { names }: PromptNames): PromptNames["names"] {
  const wanted = typed.toLowerCase();
  const found = names.filter((one) => one.name.toLowerCase().includes(wanted));
  const first = found.filter((one) => one.name.toLowerCase().startsWith(wanted));
  return [...first, ...found.filter((one) => !first.includes(one))];
}

/** True for a new name that a variable can have. */
export const canDeclare = (name: string, now: PromptNames): boolean =>
  now.declare !== undefined &&
  /^[A-Za-z_]\w*$/.test(name) &&
  !now.names.some((one) => one.name === name);

/** Plain names in placeholders with their offsets. Paths and block marks are left out. */
export function placeholderNames(
  text: string,
  { opening, closing }: PromptNames,
): { name: string; from: number; to: number }[] {
  const pattern = new RegExp(`${escaped(opening)}(\\w+)${escaped(closing)}`, "g");
  return [...text.matchAll(pattern)].map((match) => {
    const from = match.index + opening.length;
    return { name: match[1]!, from, to: from + match[1]!.length };
  });
}
