/** The editor of a role template, which marks problems of its header. */

import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { setNonce } from "../ui/cspNonce";
import { Code, type Mark } from "../ui/code/Code";
import { combinationOf } from "../ui/keys";

const PAUSE_MS = 300;

/** Replace the form's text area with the editor. The hidden text area still submits the text. */
export function mount(form: HTMLFormElement): void {
  const box = form.querySelector<HTMLTextAreaElement>("textarea[name=content]");
  const label = box?.closest("label");
  if (!box || !label) return;
  setNonce(form.dataset.cspNonce ?? "");
  const place = document.createElement("div");
  place.className = "template-text";
  label.hidden = true;
  label.after(place);
  createRoot(place).render(<TemplateText form={form} box={box} />);
}

function TemplateText({ form, box }: { form: HTMLFormElement; box: HTMLTextAreaElement }) {
  const saved = useRef(box.value);
  const [text, setText] = useState(box.value);
  const [marks, setMarks] = useState(() => marksIn(document));
  const dirty = text !== saved.current;
  useEffect(() => guardUnsaved(form, box, saved.current), [form, box]);
  useEffect(() => {
    const state = form.querySelector("[data-state]");
    if (state) state.textContent = dirty ? "Not saved" : "";
    if (!dirty && text === box.defaultValue) return;
    const stop = new AbortController();
    const timer = setTimeout(
      () => void checkHeader(form, text, stop.signal).then(setMarks, () => undefined),
      PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, dirty, form, box]);
  const write = (next: string) => {
    box.value = next;
    setText(next);
  };
  return (
    <Code
      fill
      label="Text"
      value={saved.current}
      language="markdown"
      readOnly={box.readOnly}
      marks={marks}
      onChange={write}
    />
  );
}

/** Leaving with unsaved changes asks first, and Ctrl+S saves. */
function guardUnsaved(form: HTMLFormElement, box: HTMLTextAreaElement, saved: string): () => void {
  let sending = false;
  const leave = (event: BeforeUnloadEvent) => {
    if (!sending && box.value !== saved) event.preventDefault();
  };
  const keys = (event: KeyboardEvent) => {
    if (combinationOf(event) !== "Ctrl+S") return;
    event.preventDefault();
    if (!box.readOnly) form.requestSubmit();
  };
  const send = () => (sending = true);
  form.addEventListener("submit", send);
  addEventListener("beforeunload", leave);
  addEventListener("keydown", keys);
  return () => {
    form.removeEventListener("submit", send);
    removeEventListener("beforeunload", leave);
    removeEventListener("keydown", keys);
  };
}

/** Have the server check the text's header, and show the result next to the editor. */
async function checkHeader(
  form: HTMLFormElement,
  text: string,
  signal: AbortSignal,
): Promise<Mark[]> {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", new FormData(form).get("csrfmiddlewaretoken") ?? "");
  body.set("content", text);
  const response = await fetch(form.dataset.check ?? "", { method: "POST", body, signal });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const header = page.querySelector("[data-template-header]");
  if (header) document.querySelector("[data-template-header]")?.replaceWith(header);
  return marksIn(document);
}

function marksIn(root: ParentNode): Mark[] {
  return [...root.querySelectorAll<HTMLElement>("[data-template-header] [data-problem]")].map(
    (one) => ({
      line: Number(one.dataset.line),
      level: one.dataset.level as Mark["level"],
      message: one.querySelector("[data-message]")?.textContent ?? "",
    }),
  );
}
