/** Names for the API's pack schemas. */

import type { components } from "./schema";

type Shapes = components["schemas"];

export type Json = Shapes["Json"];
export type Level = Shapes["LevelEnum"];
export type TransitionKind = Shapes["TransitionKindEnum"];
export type RunStatus = Shapes["RunStatusEnum"];

export type State = Shapes["State"];
export type StoredRoute = Shapes["Route"];
export type Transition = Shapes["Transition"];
export type Group = Shapes["Group"];
export type Entry = Shapes["Entry"];
export type Graph = Shapes["Graph"];
export type Section = Shapes["Section"];
export type PaletteItem = Shapes["PaletteItem"];
export type UndoButton = Shapes["Button"];
export type Offer = Shapes["Offer"];
export type RunInput = Shapes["RunInput"];
export type RunStart = Shapes["RunStart"];
export type CallBound = Shapes["CallBound"];
export type RecordedRun = Shapes["RecordedRun"];
export type RunOption = Shapes["RunOption"];
export type Form = Shapes["Form"];
export type PromptField = Shapes["PromptField"];
export type Finding = Shapes["Finding"];
export type Fix = Shapes["Fix"];

export type Edit = Shapes["Edit"];
export type Change = Shapes["Change"];
export type Conflict = Shapes["ConflictError"];

export type Thumbnail = Shapes["Thumbnail"];
export type PackSummary = Shapes["Card"];
export type PackDetail = Shapes["PackDetail"];
export type DialectInfo = Shapes["DialectDescription"];

export type Imported = Shapes["Imported"];
export type PackFile = Shapes["PackFile"];
export type FileText = Shapes["FileText"];
export type Revision = Shapes["RevisionDescription"];
export type RevisionPage = Shapes["RevisionPage"];
export type TextRange = Shapes["TextRange"];
export type CheckedText = Shapes["CheckedText"];
export type FindRequest = Shapes["FindRequestRequest"];
export type FindResult = Shapes["FindResult"];
export type FindMatch = FindResult["matches"][number];
export type Diff = Shapes["Difference"];
export type Fragment = Shapes["Fragment"];
export type CommitPlan = Shapes["CommitPlan"];
export type PackCommit = Shapes["PackCommitRequest"];
export type GitExport = Shapes["GitExportRequest"];
export type GitExported = Shapes["GitExported"];
export type GitTarget = Shapes["GitTargetRequest"];
export type GitPlan = Shapes["GitPlan"];
export type GitDestination = Shapes["GitDestination"];
export type UpstreamState = Shapes["UpstreamState"];
export type UpstreamStatus = Shapes["UpstreamStatusEnum"];
export type FolderConflict = Shapes["FolderConflict"];
export type UpstreamBody = Shapes["UpstreamBody"];
export type PullPlan = Shapes["PullPlan"];
export type PullConflict = Shapes["PullConflict"];
export type PullChoice = Shapes["PullChoiceRequest"];
export type PullRequest = Shapes["PullRequestBodyRequest"];
export type Pulled = Shapes["Pulled"];
export type ProposalDraft = Shapes["ProposePlanRequestRequest"];
export type StoredProposal = Shapes["StoredProposal"];
export type AssistantRequest = Omit<Shapes["AssistantRequestRequest"], "driver"> & {
  driver?: "model" | "script";
};
export type AssistantRun = Shapes["AssistantRun"];
export type ReviewedProposal = Shapes["ReviewedProposal"];
export type Consequences = Shapes["Consequences"];
export type PackPlan = Shapes["PackPlan"];
export type ProposePlan = Shapes["ProposePlan"];
export type Proposal = Shapes["ProposeRequestRequest"];
export type Proposed = Shapes["Proposed"];
export type Repository = Shapes["RepositoryDescription"];
export type RepositoryTask = Shapes["RepositoryTask"];
export type PackChange = Shapes["PatchedPackChangeRequest"];
export type ExportForm = Shapes["ExportForm"];
export type Conversion = Shapes["Converted"];
export type ReportEntry = Shapes["ReportEntry"];
export type Fate = ReportEntry["fate"];
export type PackTool = Shapes["PackTool"];
export type McpServer = components["schemas"]["McpServerDescription"];
export type ToolKind = Shapes["ToolKind"];
export type Binding = Shapes["Binding"];
export type NewBinding = Shapes["NewBindingRequest"];
export type ToolTestResult = Shapes["ToolTestResult"];
export type ModelChoice = Shapes["ModelChoice"];
export type ModelChoices = Shapes["ModelChoices"];
export type WorkspaceChoices = Shapes["WorkspaceChoices"];
export type Rehearsal = Shapes["Rehearsal"];
export type RehearsalWalk = Shapes["Walk"];
export type RevisionHeat = Shapes["RevisionHeat"];
