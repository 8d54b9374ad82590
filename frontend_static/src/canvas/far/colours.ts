/** The theme's colours for the painted views, read from the same CSS variables as everything else. */

export interface Colours {
  bg: string;
  surface: string;
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
}

const KINDS = 8;

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const get = (name: string, otherwise: string) =>
    style.getPropertyValue(name).trim() || otherwise;
  return {
    bg: get("--bg", "#fff"),
    surface: get("--surface", "#fff"),
    line: get("--line", "#ddd"),
    strong: get("--line-strong", "#888"),
    text: get("--text", "#222"),
    muted: get("--text-2", "#666"),
    accent: get("--accent", "#54d"),
    error: get("--error", "#c22"),
    warning: get("--warning", "#960"),
    hint: get("--hint", "#06b"),
    ok: get("--ok", "#173"),
    kinds: Array.from({ length: KINDS }, (_, index) => get(`--kind-${index + 1}`, "#888")),
  };
}

/** Tells when the theme may have changed: chosen on the page, or by the system. */
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
