export const TopBar = () => null;
export const LeftPane = () => null;
export const Inspector = () => null;
export const Drawer = () => null;
export const RunBar = () => null;
export const Dialogs = () => null;
