/** Mounts the role editor. */

import { createRoot } from "react-dom/client";
import { csrf, onSessionEnd } from "../api/client";
import { askSignIn } from "../ui/askSignIn";
import { setNonce } from "../ui/cspNonce";
import type { Choices } from "./PreviewPane";
import { RoleEditor } from "./RoleEditor";
import { openRole, store } from "./roleStore";

export function mount(place: HTMLElement): void {
  setNonce(place.dataset.cspNonce ?? "");
  onSessionEnd(() => askSignIn("", csrf));
  const choices = JSON.parse(
    document.getElementById("role-editor")?.textContent ?? "{}",
  ) as Choices;
  createRoot(place).render(<RoleEditor choices={choices} />);
  void openRole(choices.id).then(() => {
    if (location.hash === "#reset") store.setState({ dialog: "reset" });
  });
}
