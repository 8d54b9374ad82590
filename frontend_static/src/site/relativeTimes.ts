import { exact, relative } from "../ui/formatTime";

/**
 * Shows all times on the page as relative times and keeps them current. Times in the future are
 * shown as now, because the server's clock may be ahead, unless they have `data-future`.
 */
export function keepTimesCurrent(root: ParentNode = document): void {
  updateTimes(root);
  setInterval(() => updateTimes(document), 20_000);
}

export function updateTimes(root: ParentNode): void {
  const now = Date.now();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(at)) continue;
    time.textContent = relative(at, time.hasAttribute("data-future") ? now : Math.max(now, at));
    time.setAttribute("title", exact(at));
  }
}
