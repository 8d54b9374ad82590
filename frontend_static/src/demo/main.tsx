/** Entry point of the demo page: packs from files, in the read-only editor. */

import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/components.css";
import "../app/editor.css";
import "./demo.css";

import { createRoot } from "react-dom/client";
import { answerRequests } from "../api";
import { restoreTheme } from "../theme/theme";
import { Demo } from "./Demo";
import { ask, type Answer } from "./python";

restoreTheme();
answerRequests(async (address, { method = "GET", body }) => {
  const text = typeof body === "string" ? body : "";
  const lost = (error: Error): Answer => ({ status: 500, body: { message: error.message } });
  const answer = await ask({ name: "answer", method, address, text }).catch(lost);
  return new Response(JSON.stringify(answer.body), { status: answer.status });
});
createRoot(document.getElementById("signalbox")!).render(<Demo />);
