/** The panes around the canvas. */

import "./panels.css";
import "./roleBinding/roleSection.css";
import "./tools/tools.css";

export { loadRunViews, RunBar, RunQuestions } from "../run";
export { Dialogs } from "./dialogs/Dialogs";
export { Drawer } from "./drawer/Drawer";
export { panels } from "./panelState";
export { showElement } from "./showElement";
export { Inspector } from "./inspector/Inspector";
export { ProposalBar } from "./proposals/ProposalBar";
export { Sidebar } from "./sidebar/Sidebar";
export { FolderConflictNotice, GitWinsNotice } from "./upstream/UpstreamBadge";
export { TopBar } from "./topBar/TopBar";
