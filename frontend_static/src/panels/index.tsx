/** The panes around the canvas. */

import "./panels.css";

export { RunBar } from "../run";
export { Dialogs } from "./dialogs/Dialogs";
export { Drawer } from "./drawer/Drawer";
export { Inspector } from "./inspector/Inspector";
export { Sidebar } from "./sidebar/Sidebar";
export { TopBar } from "./topBar/TopBar";
