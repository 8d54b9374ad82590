/** Entry point of the editor: load the pack or run that `#signalbox` names and mount the page. */

import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/components.css";
import "./editor.css";

import { createRoot } from "react-dom/client";
import { loadRunViews } from "../panels";
import { session } from "../session";
import { acceptDrops } from "../site/dropImport";
import { Editor } from "./Editor";
import { setNonce } from "../ui/cspNonce";
import { restoreTheme } from "../theme/theme";

restoreTheme();

const place = document.getElementById("signalbox");
if (place) start(place);

function start(element: HTMLElement): void {
  const { page, pack, run, user, cspNonce } = element.dataset;
  setNonce(cspNonce ?? "");
  acceptDrops();
  if (run || new URL(location.href).searchParams.has("run")) loadRunViews();
  const root = createRoot(element);
  if (page === "run" && run) {
    root.render(<Editor />);
    void session.loadRun(run, { user: user ?? "" });
  } else if (pack) {
    root.render(<Editor />);
    void session.load(pack, { user: user ?? "" });
  }
}
