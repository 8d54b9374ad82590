import { exact, relative } from "../ui/formatTime";

/** Shows all times on the page as relative times and keeps them current. */
export function keepTimesCurrent(root: ParentNode = document): void {
  updateTimes(root);
  setInterval(() => updateTimes(document), 20_000);
}

export function updateTimes(root: ParentNode): void {
  const now = Date.now();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(at)) continue;
    time.textContent = relative(at, Math.max(now, at));
    time.setAttribute("title", exact(at));
  }
}
