/**
 * Keeps typed text of the forms of a page in the browser until they are sent. Passwords and keys are
 * never kept; the browser warns before it leaves the page.
 */

import { dropTyped, keepTyped, keptKeys, keptTyped } from "../ui/typedTexts";
import { createElement } from "../ui/dom";
import { siteUrl } from "../ui/siteUrl";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface KeptForm {
  values: Record<string, string>;
  /** The form was sent, and the next page decides whether it arrived. */
  sent: boolean;
}

const FIELDS =
  "input:not([type=hidden], [type=file], [type=checkbox], [type=radio]), textarea, select";
const START = "form ";

export function keepForms(): void {
  settleSent();
  const forms = [...document.querySelectorAll<HTMLFormElement>("form[method=post]")];
  for (const form of forms) if (isKept(form)) restore(form);
  document.addEventListener("input", ({ target }) => {
    const form =
      target instanceof Element ? target.closest<HTMLFormElement>("form[method=post]") : null;
    if (form && isKept(form)) keepTyped(keyOfForm(form), { values: typedIn(form), sent: false });
  });
  document.addEventListener("submit", ({ target }) => {
    const form = target as HTMLFormElement;
    form.dataset.sent = "true";
    const kept = keptTyped<KeptForm>(keyOfForm(form));
    if (kept) keepTyped(keyOfForm(form), { ...kept, sent: true });
  });
  addEventListener("beforeunload", (event) => {
    if (forms.some(hasTypedSecret)) event.preventDefault();
  });
}

/** The sign-in page and the editor of templates have their own way. */
const isKept = (form: HTMLFormElement): boolean =>
  !location.pathname.startsWith(siteUrl("/sign-in/")) &&
  !form.matches("[data-template-form], [data-autosubmit]");

/** A page that follows a sent form shows that it arrived, unless it asks to sign in first. */
function settleSent(): void {
  const signsIn = location.pathname.startsWith(siteUrl("/sign-in/"));
  const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const again = visit !== undefined && visit.type !== "navigate";
  for (const key of keptKeys(START)) {
    const kept = keptTyped<KeptForm>(key);
    if (!kept?.sent) continue;
    if (signsIn || again) keepTyped(key, { ...kept, sent: false });
    else dropTyped(key);
  }
}

function keyOfForm(form: HTMLFormElement): string {
  const card = form.closest<HTMLElement>("[data-approval]")?.dataset.approval ?? "";
  const what = form.querySelector<HTMLInputElement>("input[type=hidden][name=do]")?.value ?? "";
  const names = [...form.querySelectorAll<Field>(FIELDS)].map((field) => field.name).join();
  return `${START}${location.pathname} ${form.getAttribute("action") ?? ""} ${card} ${what} ${names}`;
}

const isSecret = (field: Field): boolean =>
  field.type === "password" || /pass|secret|token|key/i.test(field.name);

const savedValue = (field: Field): string =>
  field instanceof HTMLSelectElement
    ? ([...field.options].find((option) => option.defaultSelected)?.value ??
      field.options[0]?.value ??
      "")
    : field.defaultValue;

/** The values that differ from those of the page. */
function typedIn(form: HTMLFormElement): Record<string, string> {
  const fields = [...form.querySelectorAll<Field>(FIELDS)];
  const typed = fields.filter((one) => one.name && !isSecret(one) && one.value !== savedValue(one));
  return Object.fromEntries(typed.map((field) => [field.name, field.value]));
}

const hasTypedSecret = (form: HTMLFormElement): boolean =>
  form.dataset.sent !== "true" &&
  isKept(form) &&
  [...form.querySelectorAll<Field>(FIELDS)].some(
    (field) => isSecret(field) && field.value !== savedValue(field),
  );

function restore(form: HTMLFormElement): void {
  const kept = keptTyped<KeptForm>(keyOfForm(form));
  if (!kept) return;
  const fields = [...form.querySelectorAll<Field>(FIELDS)].filter(
    (field) => kept.values[field.name] !== undefined && kept.values[field.name] !== field.value,
  );
  if (fields.length === 0) return dropTyped(keyOfForm(form));
  for (const field of fields) {
    field.value = kept.values[field.name] ?? "";
    field.closest("details")?.setAttribute("open", "");
  }
  const drop = createElement("button", {
    type: "button",
    className: "button link",
    textContent: "Discard it",
  });
  const note = createElement("p", { className: "help" }, "Your earlier text was not sent. ", drop);
  note.dataset.restored = "true";
  drop.addEventListener("click", () => {
    for (const field of fields) field.value = savedValue(field);
    dropTyped(keyOfForm(form));
    note.remove();
  });
  form.append(note);
}
