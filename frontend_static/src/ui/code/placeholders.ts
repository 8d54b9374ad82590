/** Placeholders of prompts, as the dialect writes them. Pure. */

export interface PromptName {
  name: string;
  kind: string;
  help: string;
}

/** The names that a prompt can use. */
export interface PromptNames {
  names: readonly PromptName[];
  /** Tools that the text can name; they are not placeholders. */
  tools: readonly PromptName[];
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

/**
 * The name of a tool typed so far: after a backtick, or a word with an underscore. Other words are
 * prose, and are completed only on request.
 */
export function typedTool(line: string, requested: boolean): string | null {
  const word = /[\w.-]*$/.exec(line)![0];
  const before = line.slice(0, line.length - word.length);
  const quoted = before.endsWith("`") && before.split("`").length % 2 === 0;
  return quoted || (word.includes("_") && /^[A-Za-z]/.test(word)) || (requested && word !== "")
    ? word
    : null;
}

/** The names that contain the typed text, those that begin with it first. */
export function matchingNames(typed: string, names: readonly PromptName[]): PromptName[] {
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

/** A name in a text, to be coloured. */
export interface NamePlace {
  kind: "variable" | "fragment" | "run" | "tool" | "unknown";
  from: number;
  to: number;
  help: string;
}

/** The placeholders and tools of a text in its order. A placeholder includes its marks. */
export function namePlaces(text: string, now: PromptNames): NamePlace[] {
  const slots = slotPlaces(text, now);
  const isInSlot = (at: number) => slots.some((one) => one.from <= at && at < one.to);
  const tools = toolPlaces(text, now.tools).filter((one) => !isInSlot(one.from));
  return [...slots, ...tools].sort((a, b) => a.from - b.from);
}

function slotPlaces(text: string, now: PromptNames): NamePlace[] {
  const { opening, closing } = now;
  const pattern = new RegExp(`${escaped(opening)}([^{}\\n]*)${escaped(closing)}`, "g");
  return [...text.matchAll(pattern)].map((match) => ({
    ...kindOf(match[1]!.trim(), now),
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** A name can go on into a value: `ctx.upstream[0].parsed.title`. */
function kindOf(name: string, { names }: PromptNames): Pick<NamePlace, "kind" | "help"> {
  const known =
    names.find((one) => one.name === name) ??
    names.find((one) => name.startsWith(`${one.name}.`) || name.startsWith(`${one.name}[`));
  if (known?.kind === "fragment") return { kind: "fragment", help: "Fragment" };
  if (known?.kind === "variable") return { kind: "variable", help: known.help || "Variable" };
  if (known) return { kind: "run", help: known.help || "Value of the run" };
  const like = names.some((one) => headOf(one.name) === headOf(name));
  const isUnknown = names.length > 0 && !like && /^[\w.[\]]+$/.test(name);
  return { kind: isUnknown ? "unknown" : "run", help: "" };
}

/** The first two parts of a path: values below them are not listed one by one. */
const headOf = (name: string): string => name.split(/[.[]/).slice(0, 2).join(".");

/** Tools as whole words. A name that is an English word, such as `search`, counts in backticks. */
function toolPlaces(text: string, tools: PromptNames["tools"]): NamePlace[] {
  if (tools.length === 0) return [];
  const help = new Map(tools.map((one) => [one.name, one.help]));
  const names = [...help.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<![\\w.-])(?:${names.join("|")})(?![\\w-])`, "g");
  return [...text.matchAll(pattern)].flatMap((match): NamePlace[] => {
    const [name] = match;
    const to = match.index + name.length;
    const quoted = text[match.index - 1] === "`" && text[to] === "`";
    if (!quoted && /^[A-Za-z][a-z]*$/.test(name)) return [];
    return [{ kind: "tool", from: match.index, to, help: help.get(name) || "Tool" }];
  });
}
