/** The public interface of the run folder: components and the store of the shown run. */

import "./bar/runBar.css";
import "./log/log.css";
import "./artifacts/artifacts.css";
import "./pending/pending.css";
import "./rehearsal/rehearsal.css";
import "./result/result.css";
import "./start/start.css";
import "./inspector/inspector.css";
import "./story/story.css";
import "./agents/agentInspector.css";
import { onDemand } from "../ui/onDemand";
import { RunFooter } from "./bar/RunBar";

export { useSelectedRunState } from "./inspector/useSelectedRunState";
export { RunBar, RunQuestions } from "./bar/RunBar";
export { AskButton } from "./assistant/AskButton";
export { runMenuEntries } from "./menu/runMenuEntries";
export { runStore, useRunStore } from "./model/runStore";
export { useSelectedAgent } from "./agents/useSelectedAgent";
export { useRunPage } from "./useRunPage";

export const AssistantView = onDemand("AssistantView", () => import("./assistant/AssistantView"));
export const Artifacts = onDemand("Artifacts", () => import("./artifacts/Artifacts"));
export const Coverage = onDemand("Coverage", () => import("./rehearsal/Coverage"));
export const AgentInspector = onDemand("AgentInspector", () => import("./agents/AgentInspector"));
export const StateInspector = onDemand(
  "StateInspector",
  () => import("./inspector/StateInspector"),
);
export const RunInspector = onDemand("RunInspector", () => import("./inspector/RunInspector"));
export const Prompts = onDemand("Prompts", () => import("./artifacts/Prompts"));
export const Result = onDemand("Result", () => import("./result/Result"));
export const RunLog = onDemand("RunLog", () => import("./log/RunLog"));
export const Story = onDemand("Story", () => import("./story/Story"));
export const StartDialog = onDemand("StartDialog", () => import("./start/StartDialog"));

/** Load ahead what the page shows as soon as there is a run. */
export function loadRunViews(): void {
  for (const one of [RunFooter, Story, RunLog]) void one.load();
}
