/** The pages around the canvas: what a page can do without a script, this makes quicker. */

import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/components.css";
import "../theme/pages.css";

import { followApprovals } from "./approvals";
import { chooseTwo } from "./compare";
import { confirmDeletions } from "./confirm";
import { copyButtons } from "./copy";
import { acceptDrops } from "./drop";
import { notifyButton } from "./notify";
import { acceptPastes } from "./paste";
import { roleEditors } from "./roles";
import { followRuns } from "./runs";
import { themeSwitch } from "./theme";
import { keepTimes } from "./times";
import { previewSchedules } from "./triggers";

themeSwitch();
keepTimes();
confirmDeletions();
copyButtons();
followRuns();
chooseTwo();
notifyButton();
followApprovals();
previewSchedules();
roleEditors();
if (document.querySelector("[data-drop-zone]")) {
  acceptDrops();
  acceptPastes();
}
