import { ApiError, get, post } from "../api/client";
import type { Approval, ApprovalPage, NewAnswer, Pending } from "../api/runTypes";
import type { Json } from "../api/types";
import { initialAnswer } from "../run/pending/answerOptions";
import { listenForApprovalKeys } from "./approvalKeys";
import { createElement } from "../ui/dom";
import { notifyOfApproval } from "./browserNotifications";
import { updateTimes } from "./relativeTimes";

const POLL_MS = 2000;
const HIDDEN_POLL_MS = 5000;

/** Keeps the approvals page up to date, submits answers without a reload, and adds keys. */
export function followApprovals(): void {
  const queue = document.querySelector<HTMLElement>("[data-approvals=open]");
  if (!queue) return;
  for (const card of cards(queue)) fillEmptyAnswer(card);
  queue.addEventListener("submit", (event) => void answer(queue, event));
  listenForApprovalKeys(queue);
  showKeyHelp(queue);
  const turn = async () => {
    try {
      await poll(queue);
      queue.removeAttribute("data-stale");
    } catch {
      queue.dataset.stale = "true";
    }
    setTimeout(() => void turn(), document.hidden ? HIDDEN_POLL_MS : POLL_MS);
  };
  void turn();
}

const cards = (queue: ParentNode) => [...queue.querySelectorAll<HTMLElement>("[data-approval]")];
const find = (queue: ParentNode, id: string) =>
  queue.querySelector<HTMLElement>(`[data-approval="${CSS.escape(id)}"]`);

function showKeyHelp(queue: HTMLElement): void {
  const keys = queue.querySelector<HTMLElement>("[data-keys]");
  if (keys) keys.hidden = false;
}

/** Fetch the open approvals. The page itself is fetched only if they differ from the shown ones. */
async function poll(queue: HTMLElement): Promise<void> {
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const page = await get<ApprovalPage>("approvals/", {
    q: query.q,
    pack: query.pack,
    status: "open",
  });
  showCount(page.count);
  const shownIds = new Set(cards(queue).map((card) => card.dataset.approval));
  const newApprovals = page.results.filter((one) => !shownIds.has(one.id));
  const openIds = new Set(page.results.map((one) => one.id));
  const removed = cards(queue).filter((card) => !openIds.has(card.dataset.approval ?? ""));
  if ((newApprovals.length === 0 && removed.length === 0) || (query.page && query.page !== "1"))
    return;
  await refresh(queue, removed);
  for (const one of newApprovals) notifyOfApproval(one);
}

/**
 * Add new cards from the server's page. Existing cards are left alone, because the user may be
 * typing in them.
 */
async function refresh(queue: HTMLElement, removed: HTMLElement[]): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const newQueue = new DOMParser()
    .parseFromString(await response.text(), "text/html")
    .querySelector("[data-approvals]");
  if (!newQueue) return location.reload();
  const next = removed.some((card) => card.contains(document.activeElement))
    ? nextCard(queue, removed)
    : undefined;
  const inside = [...newQueue.children].map((child) => {
    const card = child as HTMLElement;
    const existing = card.dataset.approval ? find(queue, card.dataset.approval) : null;
    if (!existing && card.dataset.approval) fillEmptyAnswer(card);
    return existing ?? card;
  });
  const focus = document.activeElement as HTMLElement | null;
  reorder(queue, inside);
  showKeyHelp(queue);
  updateTimes(queue);
  (next?.isConnected
    ? next
    : focus?.isConnected && queue.contains(focus)
      ? focus
      : undefined
  )?.focus();
}

/** Elements that are in place are not moved: moving a text box would lose its cursor. */
function reorder(queue: HTMLElement, elements: HTMLElement[]): void {
  for (const child of [...queue.children])
    if (!elements.includes(child as HTMLElement)) child.remove();
  elements.forEach((element, place) => {
    if (queue.children[place] !== element)
      queue.insertBefore(element, queue.children[place] ?? null);
  });
}

/** The card to focus when these are removed. */
function nextCard(queue: HTMLElement, removed: HTMLElement[]): HTMLElement | undefined {
  const all = cards(queue);
  const at = all.findIndex((card) => removed.includes(card));
  const stays = (card: HTMLElement) => !removed.includes(card);
  return all.slice(at).find(stays) ?? all.slice(0, at).reverse().find(stays);
}

function showCount(open: number): void {
  document.title = `${open ? `(${open}) ` : ""}Approvals · Signalbox`;
  const badge = document.querySelector<HTMLElement>("[data-open-approvals]");
  if (!badge) return;
  badge.textContent = String(open);
  badge.hidden = open === 0;
}

/** Fill an empty structured answer with the minimal one that its schema allows. */
function fillEmptyAnswer(card: HTMLElement): void {
  const text = card.querySelector<HTMLTextAreaElement>("textarea[name=edited]");
  const asks = card.querySelector("script[type='application/json']")?.textContent;
  if (
    !text ||
    text.value ||
    !asks ||
    card.querySelector<HTMLInputElement>("[name=json]")?.value !== "true"
  )
    return;
  const pending = JSON.parse(asks) as Pending;
  const tools = (Array.isArray(pending.tools) ? pending.tools : []) as {
    name?: string;
    parameters?: Json;
  }[];
  const schema =
    pending.schema ?? tools.find((tool) => tool.name === pending.answer_tool)?.parameters;
  if (schema !== undefined) text.value = JSON.stringify(initialAnswer(pending, schema), null, 2);
}

/** Submit a card's form without leaving the page. */
async function answer(queue: HTMLElement, event: SubmitEvent): Promise<void> {
  const card = (event.target as HTMLElement).closest<HTMLElement>("[data-approval]");
  if (!card) return;
  event.preventDefault();
  if (card.getAttribute("aria-busy") === "true") return;
  card.querySelector("[role=alert]")?.remove();
  card.setAttribute("aria-busy", "true");
  try {
    const body = bodyOf(event.target as HTMLFormElement, event.submitter);
    await post<Approval>(`approvals/${card.dataset.approval}/`, body);
    await refresh(queue, [card]);
    showCount(cards(queue).length);
  } catch (error) {
    showError(card, error);
    if (error instanceof ApiError && error.status === 409) card.dataset.answered = "true";
  } finally {
    card.removeAttribute("aria-busy");
  }
}

function bodyOf(form: HTMLFormElement, submitter: HTMLElement | null): NewAnswer {
  const sent = new FormData(form, submitter);
  const text = (name: string) => String(sent.get(name) ?? "");
  if (text("approve") === "no") return { approve: false, reason: text("reason") };
  if (text("approve") === "rest") return { approve: true, rest: true };
  if (sent.has("event")) return { event: text("event") };
  if (!sent.has("edited")) return { approve: true };
  if (sent.has("tool")) {
    const args = JSON.parse(text("edited")) as Record<string, Json>;
    return { tool_calls: [{ name: text("tool"), arguments: args }] };
  }
  if (text("json") !== "true") return { edited: text("edited") };
  return { edited: JSON.parse(text("edited")) as Json };
}

function showError(card: HTMLElement, error: unknown): void {
  const json = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : "";
  const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : "";
  const message = json || (error instanceof Error ? error.message + hint : String(error));
  card.append(createElement("p", { className: "problem", role: "alert", textContent: message }));
}
