/** Theme colours for the painted views, read from the CSS variables. */

export interface Colours {
  bg: string;
  surface: string;
  surface2: string;
  line: string;
  strong: string;
  text: string;
  muted: string;
  accent: string;
  error: string;
  warning: string;
  hint: string;
  ok: string;
  kinds: string[];
  /** The same colours mixed into the surface, as fills of states. */
  softKinds: string[];
}

/** Colours of a difference, as in the near view. */
export const diffColours = ({ ok, error, warning, hint }: Colours) => ({
  added: ok,
  removed: error,
  changed: warning,
  renamed: hint,
});

const KINDS = 8;

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const dark = isDark(style.colorScheme);
  const get = (name: string, otherwise: string) => {
    const value = style.getPropertyValue(name).trim();
    const pair = /^light-dark\(([^,]+), ?([^,]+)\)$/.exec(value);
    return (pair ? pair[dark ? 2 : 1] : value) || otherwise;
  };
  const kinds = Array.from({ length: KINDS }, (_, index) => get(`--kind-${index + 1}`, "#888"));
  const surface = get("--surface", "#ffffff");
  return {
    bg: get("--bg", "#ffffff"),
    surface,
    surface2: get("--surface-2", "#f0f0f4"),
    line: get("--line", "#ddd"),
    strong: get("--line-strong", "#888"),
    text: get("--text", "#222"),
    muted: get("--text-2", "#666"),
    accent: get("--accent", "#54d"),
    error: get("--error", "#c22"),
    warning: get("--warning", "#960"),
    hint: get("--hint", "#06b"),
    ok: get("--ok", "#173"),
    kinds,
    softKinds: kinds.map((kind) => mixed(kind, surface, 0.32)),
  };
}

const isDark = (scheme: string): boolean =>
  scheme === "dark" ||
  (scheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches);

/**
 * Mix `part` of one colour into another, both as #rrggbb or #rgb. Other notations are returned
 * unchanged.
 */
export function mixed(colour: string, into: string, part: number): string {
  const [a, b] = [channels(colour), channels(into)];
  if (!a || !b) return colour;
  const mix = a.map((value, index) => Math.round(value * part + (b[index] as number) * (1 - part)));
  return `#${mix.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour: string): number[] | null {
  // The built style sheet has #fff for #ffffff.
  const match = /^#([\da-f]{1,2})([\da-f]{1,2})([\da-f]{1,2})$/i.exec(colour);
  if (!match || colour.length % 3 !== 1) return null;
  return match.slice(1).map((part) => parseInt(part.length === 1 ? part + part : part, 16));
}

/** Call back when the theme may have changed, on the page or in the system. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
