/** A dialog that asks a person whose session ended to sign in, while the page stays as it is. */

import { sendsForm } from "./keys";
import { closeText, openText } from "./typedTexts";
import { siteUrl } from "./siteUrl";

const PAUSE_MS = 2_000;
const KEY = "session";

const isSignedIn = async (): Promise<boolean> => {
  const response = await fetch(siteUrl("/api/v1/dialects/"), { credentials: "same-origin" });
  return response.ok;
};

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

/** Resolves when the session lasts again. `user` is the person whose texts wait. */
export function askSignIn(user: string, csrf: () => string): Promise<void> {
  const name = element("input", {
    className: "input",
    name: "username",
    value: user,
    required: true,
  });
  const password = element("input", { className: "input", type: "password", required: true });
  const wrong = element("p", { className: "notice error", hidden: true });
  const form = element(
    "form",
    {},
    element(
      "div",
      { className: "body" },
      element("p", {
        role: "alert",
        textContent: "Your session has ended. Your text is kept, and is sent once you sign in.",
      }),
      wrong,
      element(
        "label",
        { className: "field" },
        element("span", { className: "field-label", textContent: "Name" }),
        name,
      ),
      element(
        "label",
        { className: "field" },
        element("span", { className: "field-label", textContent: "Password" }),
        password,
      ),
      element(
        "p",
        { className: "help" },
        "Or use a link or another way to sign in on the ",
        element("a", {
          href: siteUrl("/sign-in/"),
          target: "_blank",
          rel: "noopener",
          textContent: "sign-in page",
        }),
        "; this page then continues.",
      ),
    ),
    element(
      "div",
      { className: "dialog-buttons" },
      element("button", { type: "submit", className: "button primary", textContent: "Sign in" }),
    ),
  );
  const title = element("h2", { id: "sign-in-again", textContent: "Sign in again" });
  const dialog = element(
    "dialog",
    { className: "dialog at-side" },
    element("div", { className: "dialog-title" }, title),
    form,
  );
  name.autocomplete = "username";
  password.autocomplete = "current-password";
  dialog.setAttribute("aria-labelledby", "sign-in-again");
  wrong.setAttribute("role", "alert");
  openText(KEY, { status: "Not saved: your session has ended" });
  // It takes no focus: the keys of a person who types must not end in the password.
  (document.querySelector("dialog:modal") ?? document.body).append(dialog);
  dialog.setAttribute("open", "");
  return new Promise((done) => {
    const look = async () => {
      if (!(await isSignedIn().catch(() => false))) return false;
      clearInterval(timer);
      removeEventListener("focus", onFocus);
      closeText(KEY);
      dialog.remove();
      done();
      return true;
    };
    const onFocus = () => void look();
    const timer = setInterval(onFocus, PAUSE_MS);
    addEventListener("focus", onFocus);
    dialog.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (sendsForm(event)) form.requestSubmit();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const body = new URLSearchParams({
        username: name.value,
        password: password.value,
        csrfmiddlewaretoken: csrf(),
      });
      void fetch(siteUrl("/sign-in/"), { method: "POST", body, credentials: "same-origin" })
        .then(look)
        .catch(() => false)
        .then((signedIn) => {
          wrong.hidden = signedIn;
          wrong.textContent =
            "Not signed in. Check the name and the password, or use the sign-in page.";
        });
    });
  });
}
