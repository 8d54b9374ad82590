/** Places and actions of the Django pages, for the command palette and the list of shortcuts. */

import { get } from "../api/client";
import { toggleTheme } from "../theme/theme";
import type { Entry } from "../ui/commandPalette";
import { siteUrl } from "../ui/siteUrl";

interface FoundPacks {
  results: { id: number; name: string; dialect_label: string }[];
}

const PLACES: readonly [title: string, address: string][] = [
  ["New pack", "/packs/new/"],
  ["Memory of roles", "/roles/memory/"],
  ["Modes", "/roles/modes/"],
  ["Agent templates", "/templates/"],
  ["API tokens", "/settings/#tokens"],
  ["Connections to models", "/settings/#connections"],
  ["MCP servers", "/settings/#mcp-servers"],
  ["Table of rights", "/settings/rights/"],
  ["Documentation", "/help/"],
];
const PLACES_OF_STAFF: readonly [title: string, address: string][] = [
  ["People", "/settings/#people"],
  ["Groups", "/settings/groups/"],
  ["Audit log", "/settings/audit/"],
];
const APPROVAL_KEYS: readonly [title: string, key: string][] = [
  ["Next approval", "j"],
  ["Previous approval", "k"],
  ["Approve", "a"],
  ["Deny", "d"],
  ["Edit the answer", "e"],
  ["Open the run", "Enter"],
];
const MAX_PACKS = 8;

const go = (address: string) => () => location.assign(address);
const isSignedIn = () => document.querySelector(".site-header .sign-out") !== null;

/** Commands with keys that work on this page. Links and buttons name their key in `data-key`. */
export function keyedCommands(): Entry[] {
  const marked = [...document.querySelectorAll<HTMLElement>("[data-key]")].map((element) => ({
    title: element.textContent?.trim() ?? "",
    group: "This page",
    keys: [element.dataset.key ?? ""],
    run: () => element.click(),
  }));
  const field = document.querySelector<HTMLInputElement>(".page input[type=search]");
  if (field)
    marked.push({
      title: field.getAttribute("aria-label") ?? "Search",
      group: "This page",
      keys: ["/"],
      run: () => field.select(),
    });
  return marked;
}

/** Keys that other scripts of this page handle. */
export function listedKeys(): Entry[] {
  if (!document.querySelector("[data-approvals=open]")) return [];
  return APPROVAL_KEYS.map(([title, key]) => ({
    title,
    group: "Approvals",
    keys: [key],
    run: () => undefined,
  }));
}

/** The commands of the palette without a query. */
export function pageCommands(): Entry[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".site-header nav a")];
  const staff = document.querySelector("[data-staff]") !== null;
  const places = isSignedIn() ? [...PLACES, ...(staff ? PLACES_OF_STAFF : [])] : [];
  return [
    ...keyedCommands().filter((one) => one.title !== "New pack"),
    ...links.map((link) => ({
      title: link.firstChild?.textContent?.trim() ?? "",
      group: "Go",
      keys: [],
      run: go(link.href),
    })),
    ...places.map(([title, address]) => ({
      title,
      group: "Go",
      keys: title === "New pack" && document.querySelector("[data-key=n]") ? ["n"] : [],
      run: go(siteUrl(address)),
    })),
    { title: "Switch between light and dark", group: "View", keys: [], run: toggleTheme },
  ];
}

/** Packs with this text in their name or path. */
export async function packsNamed(query: string): Promise<Entry[]> {
  if (!query.trim() || !isSignedIn()) return [];
  const found = await get<FoundPacks>("packs/", { q: query.trim(), limit: `${MAX_PACKS}` });
  return found.results.map((pack) => ({
    title: pack.name,
    group: `Pack · ${pack.dialect_label}`,
    keys: [],
    run: go(siteUrl(`/packs/${pack.id}/`)),
  }));
}
