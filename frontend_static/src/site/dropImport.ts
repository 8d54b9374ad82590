import "./import.css";

import { errorText } from "../ui/errorText";
import { createElement } from "../ui/dom";
import { droppedFiles, type DroppedFile } from "./droppedFiles";
import { upload } from "./upload";

/** Imports files and folders that are dropped on any page or chosen in the form. */
export function acceptDrops(): void {
  const veil = createElement("div", { className: "drop-veil", textContent: "Drop to import" });
  let inside = 0;
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    inside += 1;
    document.body.append(veil);
  });
  window.addEventListener("dragleave", () => {
    inside = Math.max(0, inside - 1);
    if (inside === 0) veil.remove();
  });
  window.addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    inside = 0;
    veil.remove();
    if (!event.dataTransfer || !carriesFiles(event)) return;
    event.preventDefault();
    void send(droppedFiles(event.dataTransfer));
  });
  sendFormByScript();
}

function sendFormByScript(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-drop-zone]");
  const input = form?.querySelector<HTMLInputElement>("input[type=file]");
  if (!form || !input) return;
  input.addEventListener("change", () => form.requestSubmit());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const files = [...(input.files ?? [])];
    const dropped = files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    void send(Promise.resolve(dropped));
  });
}

async function send(files: Promise<DroppedFile[]>): Promise<void> {
  try {
    const dropped = await files;
    if (dropped.length === 0) throw new Error("The dropped items contain no files.");
    const body = new FormData();
    for (const { path, file } of dropped) {
      body.append("files", file, file.name);
      body.append("paths", path);
    }
    const size = dropped.reduce((sum, one) => sum + one.file.size, 0);
    upload(
      body,
      `${dropped.length === 1 ? dropped[0]!.path : `${dropped.length} files`} · ${Math.ceil(size / 1000)} kB`,
    );
  } catch (error) {
    upload(errorText(error), "");
  }
}
