import { currentTheme, restoreTheme, toggleTheme } from "../theme/theme";
import { createElement } from "../ui/dom";

/** Applies the chosen theme and adds a button to change it. */
export function themeSwitch(): void {
  restoreTheme();
  const header = document.querySelector(".site-header");
  if (!header) return;
  const button = createElement("button", { type: "button", className: "button quiet" });
  const show = () => {
    button.textContent = currentTheme() === "dark" ? "Light" : "Dark";
  };
  button.title = "Switch between light and dark";
  button.addEventListener("click", () => {
    toggleTheme();
    show();
  });
  addEventListener("signalbox:theme", show);
  show();
  const place = header.querySelector(".sign-out");
  if (place) place.prepend(button);
  else header.append(button);
}
