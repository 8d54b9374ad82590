/** Entry point of the editor: load the pack or run that `#signalbox` names and mount the page. */

import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/components.css";
import "./editor.css";

import { createRoot } from "react-dom/client";
import { loadRunViews, showElement } from "../panels";
import { csrf, onSessionEnd, session } from "../session";
import { acceptDrops } from "../site/dropImport";
import { Editor } from "./Editor";
import { askSignIn } from "../ui/askSignIn";
import { setNonce } from "../ui/cspNonce";
import { restoreTheme } from "../theme/theme";

restoreTheme();

const place = document.getElementById("signalbox");
if (place) void start(place);

/** The page is drawn with its graph, which was requested with the scripts, or without it by then. */
const LATEST_MS = 100;

async function start(element: HTMLElement): Promise<void> {
  const { page, pack, run, user, cspNonce } = element.dataset;
  setNonce(cspNonce ?? "");
  acceptDrops();
  onSessionEnd(() => askSignIn(user ?? "", csrf));
  if (run || new URL(location.href).searchParams.has("run")) loadRunViews();
  const options = { user: user ?? "" };
  const loading =
    page === "run" && run ? session.loadRun(run, options) : session.load(pack ?? "", options);
  await Promise.race([loading, new Promise((done) => setTimeout(done, LATEST_MS))]);
  createRoot(element).render(<Editor />);
  const shown = new URL(location.href).searchParams.get("element");
  if (shown) void loading.then(() => showElement(shown));
}
