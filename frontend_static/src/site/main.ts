/** Entry point of the Django pages. The pages also work without scripts. */

import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/components.css";
import "./pages.css";

import { followApprovals } from "./approvals";
import { chooseRunsToCompare } from "./compareRuns";
import { confirmForms } from "./confirmForms";
import { copyButtons } from "./copyButtons";
import { acceptDrops } from "./dropImport";
import { notifyButton } from "./browserNotifications";
import { acceptPastes } from "./pasteImport";
import { roleEditors } from "./roleEditors";
import { pollRuns } from "./runsTable";
import { themeSwitch } from "./themeSwitch";
import { keepTimesCurrent } from "./relativeTimes";
import { previewSchedules } from "./schedulePreview";

themeSwitch();
keepTimesCurrent();
confirmForms();
copyButtons();
pollRuns();
chooseRunsToCompare();
notifyButton();
followApprovals();
previewSchedules();
roleEditors();
if (document.querySelector("[data-drop-zone]")) {
  acceptDrops();
  acceptPastes();
}
