/** Names that keep a format's rule: the check of a name, and the nearest one that passes. */
import { asciiLetters } from "./asciiLetters";

const LEADS = ["_", "On", "step-", "step_"];

/**
 * True if a name has the form that a pattern demands, which like patterns of JSON Schema is not
 * anchored. A pattern that cannot be read demands none.
 */
export function fitsPattern(name: string, pattern: string): boolean {
  if (!pattern) return true;
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return true;
  }
}

/**
 * The name that is nearest to the typed one and has the form of the pattern: in kebab-case,
 * snake_case, PascalCase or camelCase, in ASCII letters and without signs. "" if there is none.
 */
export function nearestName(typed: string, pattern: string): string {
  const name = typed.trim();
  if (!name) return "";
  if (fitsPattern(name, pattern)) return name;
  const valid = candidates(name).filter((one) => one !== "" && fitsPattern(one, pattern));
  return closest(name, valid) || withoutStart(name, pattern);
}

/** The option with the fewest letters changed; "" for an empty list. */
function closest(name: string, options: readonly string[]): string {
  let [best, fewest] = ["", Infinity];
  for (const option of options) {
    const changes = letterChanges(name, option);
    if (changes < fewest) [best, fewest] = [option, changes];
  }
  return best;
}

/**
 * The option that a typed text stands for: the same but for upper and lower case, one that begins
 * with it or contains it, or one that is similar. "" if no option is near.
 */
export function nearestOption(typed: string, options: readonly string[]): string {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return "";
  const lower = options.map((option) => option.toLowerCase());
  for (const fits of [
    (option: string) => option === wanted,
    (option: string) => option.startsWith(wanted),
    (option: string) => option.includes(wanted),
  ]) {
    const at = lower.findIndex(fits);
    if (at >= 0) return options[at] ?? "";
  }
  const near = closest(wanted, lower);
  const limit = Math.ceil(Math.max(wanted.length, near.length) / 2);
  return near && letterChanges(wanted, near) <= limit ? (options[lower.indexOf(near)] ?? "") : "";
}

function candidates(name: string): string[] {
  const plain = asciiLetters(name);
  const words = plain
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const lower = words.map((word) => word.toLowerCase());
  const upper = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const forms = [
    plain,
    name.replace(/[|\s]+/g, "-").replace(/^-+|-+$/g, ""),
    words.join("-"),
    words.join("_"),
    lower.join("-"),
    lower.join("_"),
    upper.join(""),
    (lower[0] ?? "") + upper.slice(1).join(""),
  ];
  const led = words.length ? LEADS.flatMap((lead) => forms.map((form) => lead + form)) : [];
  return [...forms, ...led];
}

/** The name without the signs and digits that it begins with. */
function withoutStart(name: string, pattern: string): string {
  const rest = name.replace(/^[^\p{L}]+/u, "");
  return rest === name ? "" : nearestName(rest, pattern);
}

/** The number of letters to add, remove or change (Levenshtein); upper and lower case count half. */
function letterChanges(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const [a, b] = [from.charAt(i - 1), to.charAt(j - 1)];
      const change = a === b ? 0 : a.toLowerCase() === b.toLowerCase() ? 0.5 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
