/** Running and rehearsing: what the page shows of a run, and the levers that move it. */

import "./run.css";
import "./artifacts.css";
import "./pending.css";
import "./rehearsal.css";
import "./start.css";

export { Artifacts } from "./Artifacts";
export { Coverage } from "./Coverage";
export { NodeInspector, useSelectedAgent } from "./node/NodeInspector";
export { Prompts } from "./Prompts";
export { RunBar } from "./RunBar";
export { RunLog } from "./RunLog";
export { StartDialog } from "./StartDialog";
export { shownRun, useShownRun } from "./shown";
