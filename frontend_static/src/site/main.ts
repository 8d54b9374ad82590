/** Entry point of the Django pages. The pages also work without scripts. */

import "../theme/tokens.css";
import "../theme/base.css";
import "../theme/components.css";
import "./pages.css";

import { followApprovals } from "./approvals";
import { chooseRuns } from "./chosenRuns";
import { confirmForms } from "./confirmForms";
import { copyButtons } from "./copyButtons";
import { acceptDrops } from "./dropImport";
import { improveForms } from "./gallery";
import { leaveFormAddress, placeResults } from "./formResults";
import { keepForms } from "./keptForms";
import { notifyButton } from "./browserNotifications";
import { listenForPageKeys } from "./pageKeys";
import { acceptPastes } from "./pasteImport";
import { roleEditors } from "./roleEditors";
import { pollRuns } from "./runsTable";
import { themeSwitch } from "./themeSwitch";
import { followRepositoryTask } from "./repositoryTask";
import { keepTimesCurrent } from "./relativeTimes";
import { previewSchedules } from "./schedulePreview";

themeSwitch();
keepTimesCurrent();
keepForms();
confirmForms();
copyButtons();
leaveFormAddress();
placeResults();
pollRuns();
chooseRuns();
notifyButton();
followApprovals();
previewSchedules();
roleEditors();
followRepositoryTask();
improveForms();
listenForPageKeys();
if (document.querySelector(".site-header .sign-out")) acceptDrops();
if (document.querySelector("[data-paste]")) acceptPastes();
