import { csrf, ROOT } from "../api/client";
import { createElement } from "../ui/dom";
import { siteUrl } from "../ui/siteUrl";

interface Answer {
  packs?: { id: number | string; name: string }[];
  ignored?: string[];
  message?: string;
  hint?: string;
}

/**
 * Upload an import with a progress bar and a cancel button. If `body` is a text, show it as an
 * error.
 */
export function upload(body: FormData | string, what: string): void {
  document.querySelector(".import-progress")?.remove();
  const title = createElement("b", { textContent: "Importing…" });
  const button = createElement("button", {
    type: "button",
    className: "button small",
    textContent: "Cancel",
  });
  const fill = createElement("i");
  const bar = createElement("div", { className: "progress" }, fill);
  const words = createElement("div", { className: "help", textContent: what });
  const box = createElement(
    "section",
    { className: "import-progress" },
    createElement("div", { className: "row" }, title, button),
    bar,
    words,
  );
  box.setAttribute("role", "status");
  box.setAttribute("aria-live", "polite");
  document.body.append(box);
  const ended = (heading: string, message: string) => {
    title.textContent = heading;
    words.textContent = message;
    button.textContent = "Close";
    bar.remove();
  };
  if (typeof body === "string") {
    button.addEventListener("click", () => box.remove());
    return ended("Not imported", body);
  }
  const request = sendRequest(body, (share) => (fill.style.transform = `scaleX(${share})`));
  button.addEventListener("click", () => {
    request.abort();
    box.remove();
  });
  request.addEventListener("error", () =>
    ended("Not imported", "The server cannot be reached. Try again."),
  );
  request.addEventListener("load", () => {
    const answer = (request.response ?? {}) as Answer;
    if (request.status >= 400)
      return ended(
        "Not imported",
        [answer.message, answer.hint].filter(Boolean).join(" ") ||
          `The server answered with ${request.status}.`,
      );
    showImported(answer);
  });
}

function sendRequest(body: FormData, progress: (share: number) => void): XMLHttpRequest {
  const request = new XMLHttpRequest();
  request.open("POST", `${ROOT}import/`);
  request.responseType = "json";
  request.setRequestHeader("X-CSRFToken", csrf());
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) progress(event.loaded / event.total);
  });
  progress(0);
  request.send(body);
  return request;
}

/** Open a single new pack, or the gallery for several. */
function showImported({ packs = [] }: Answer): void {
  if (packs.length === 1) location.assign(siteUrl(`/packs/${packs[0]!.id}/`));
  else location.assign("/");
}
