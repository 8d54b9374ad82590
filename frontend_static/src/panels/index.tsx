/** Everything around the canvas. The page places these; each pane knows whether it is open. */

import "./panels.css";

export { RunBar } from "../run";
export { Dialogs } from "./Dialogs";
export { Drawer } from "./Drawer";
export { Inspector } from "./Inspector";
export { LeftPane } from "./LeftPane";
export { TopBar } from "./TopBar";
