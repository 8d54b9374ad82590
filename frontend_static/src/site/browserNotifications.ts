/** Browser notifications for new approvals. They are off until the user turns them on. */

import type { Approval } from "../api/runTypes";

const STORAGE_KEY = "signalbox.notify";

const isWanted = () => localStorage.getItem(STORAGE_KEY) === "yes";
const isAllowed = () => "Notification" in window && Notification.permission === "granted";

/** The button that turns notifications on and off. It asks the browser for permission once. */
export function notifyButton(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-notify]");
  if (!button || !("Notification" in window) || !window.isSecureContext) return;
  button.hidden = false;
  const show = () => {
    const on = isWanted() && isAllowed();
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Notifying you" : "Notify me";
    const denied = Notification.permission === "denied";
    button.disabled = denied;
    button.title = denied
      ? "The browser blocks notifications of this site; allow them in its settings."
      : "Notify me of new approvals while this page is in the background";
  };
  const toggle = async () => {
    const on = isWanted() && isAllowed();
    if (!on) await Notification.requestPermission();
    localStorage.setItem(STORAGE_KEY, on ? "no" : "yes");
    show();
  };
  button.addEventListener("click", () => void toggle());
  show();
}

/** Show a notification if the page is in the background. */
export function notifyOfApproval(approval: Approval): void {
  if (!document.hidden || !isWanted() || !isAllowed()) return;
  const note = new Notification(`${approval.pack_name} waits for you`, {
    body: approval.question.slice(0, 200) || approval.state,
    tag: approval.id,
  });
  note.onclick = () => {
    window.focus();
    document.querySelector<HTMLElement>(`[data-approval="${CSS.escape(approval.id)}"]`)?.focus();
    note.close();
  };
}
