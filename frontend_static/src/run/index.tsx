/** The public interface of the run folder: components and the store of the shown run. */

import "./bar/runBar.css";
import "./log/log.css";
import "./artifacts/artifacts.css";
import "./pending/pending.css";
import "./rehearsal/rehearsal.css";
import "./start/start.css";

export { Artifacts } from "./artifacts/Artifacts";
export { Coverage } from "./rehearsal/Coverage";
export { AgentInspector } from "./agents/AgentInspector";
export { Prompts } from "./artifacts/Prompts";
export { RunBar } from "./bar/RunBar";
export { RunLog } from "./log/RunLog";
export { StartDialog } from "./start/StartDialog";
export { runStore, useRunStore } from "./model/runStore";
export { useSelectedAgent } from "./agents/useSelectedAgent";
