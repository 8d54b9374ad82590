"""Descriptions of properties, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

TABLE = """
`about`                          What the value is for.
`action`                         What to do with the runs.
`activate_mcp`                   MCP servers that the mode starts.
`addable`                        True if objects of this section can be added.
`added`                          Those that only the newer version has.
`FateCounts.added`               Number of parts that only the converted pack has.
`additional_scopes`              Scopes that the mode adds to those of the role.
`address`                        The client's address.
`after`                          The value after the change.
`agent_done`                     Text that a finished answer has to follow.
`agree`                          Number of rows before the runs diverge.
`allow`                          Names of tools that may be called.
`answer`                         The answer; null before there is one.
`RunResult.answer`               The last answer of a model.
`answered_at`                    Time of the answer; null before it.
`answered_by`                    Name of the person who answered; empty before an answer.
`PackTool.answered_by`           How a call is answered on this server.
`answers`                        The answers that differ.
`api_url`                        Address of the API of the server that opens pull requests.
`app_id`                         Id of the GitHub App.
`approval_limit`                 Time limit of questions to people; null: the level above has it.
`approvals`                      Calls that a person has to approve.
`approve`                        True to approve, false to deny.
`approximated`                   Number of parts that the other format has only roughly.
`area`                           Part of the pack with this match.
`areas`                          Parts of the pack to search; all without them.
`arguments`                      Arguments of the call, by parameter.
`arrow`                          The transition by which the state was left; null for none.
`artifact`                       The file that the mode writes.
`artifacts`                      Artifacts of the run.
`RunComparison.artifacts`        Artifacts that differ.
`as_before`                      True if each call may carry everything before it.
`asked_at`                       Time of the question.
`asks`                           The effect that waits for the answer.
`asks_first`                     True if each call waits for a person's approval.
`at`                             Time of the entry.
`Forked.at`                      Number of the event after which the new run begins.
`ForkedFrom.at`                  Number of the event after which the run begins.
`NewForkRequest.at`              Number of the event after which the new run is to begin.
`NewModelTrialRequest.at`        Number of the event with the model call.
`SavedGraphRequest.at`           Number of the last event that counts.
`StoredArtifact.at`              Seconds since 1970 of the event that set it.
`author`                         Author of the change.
`auto_save_interval`             Turns between two saves of the session.
`badges`                         Rights, abilities and constraints that the template has.
`base`                           Number of the revision that the caller has read.
`Change.base`                    Number of the revision before the change.
`Consequences.base`              Number of the revision that the edits were tried on.
`PullConflict.base`              The value that both sides changed; null if there was none.
`PullPlan.base`                  Commit that the pack is based on.
`WorkspaceClosedEvent.base`      Commit that the run's changes are based on.
`base_commit`                    Commit that the newest revision is based on.
`base_source`                    Where the base of the changes comes from.
`base_url`                       Address of the model's API; empty for the provider's own.
`before`                         The value before the change.
`binary`                         True if the file is not a text.
`binding`                        How calls of the tool are answered; null for the default.
`bindings`                       Tool → how its calls are answered.
`block_hashes`                   Part of the prompt → SHA-256 of its text.
`blocked_reason`                 Why this user may not answer; empty if the user may.
`blocks`                         Part of the prompt → its text.
`body`                           JSON of the request.
`TrialRequest.body`              Body of the request, as sent.
`bound`                          The role bound to the state; null for none.
`branch`                         Name of a branch.
`branches`                       Branches of the repository.
`breakpoint`                     Id of the state or transition at which the run paused.
`breakpoints`                    Ids of the states and transitions at which the run pauses.
`budget`                         Limits of the run, by name.
`by`                             Name of the person who did it.
`RunStartedEvent.by`             Name of the person who started the run.
`by_role`                        True if a role names the input, and not the pack.
`cached_input`                   USD per million cached tokens of prompts.
`callback`                       Delivery of the result to the webhook's caller.
`callback_error`                 Why the newest delivery failed; empty for none.
`calls`                          Number of model calls.
`WorstBound.calls`               Model calls at most; null without a bound.
`WorstCase.calls`                Model calls at most; null without a bound.
`can`                            True if there is something to undo or redo.
`can_allow`                      True if this call can be allowed to be performed once.
`can_take_both`                  True if both versions can be taken.
`cancelled`                      True if another branch of a join ended this one.
`card`                           The agent's card in the A2A format.
`category`                       Category of the fact.
`cause`                          The refused request or unreadable answer that made the run fail.
`change`                         Kind of the change.
`Proposed.change`                The proposed branch and its pull request.
`UpstreamState.change`           The proposal that is open; null for none.
`changed`                        Those that both versions have with other values.
`changed_at`                     Time of the last change.
`changes`                        The changes, in order.
`changes_open`                   Number of proposals that are open.
`chat_task`                      Template of the task of a chat.
`check`                          Kind of the check.
`choices`                        Answers to choose from.
`closing`                        Text that closes a placeholder.
`code`                           Stable code of the error, for programs.
`Finding.code`                   Code of the rule.
`RuleDescription.code`           Code of the rule.
`RunFinishedEvent.code`          Stable code of the failure.
`color`                          Color on the canvas, as `#rrggbb`.
`command`                        Program and arguments.
`commands`                       True if the run may run commands.
`ProposePlan.commands`           Git commands that do the same by hand.
`Proposed.commands`              Git commands that do the same by hand.
`comment`                        Text of the person who gave the score.
`commit`                         Id of a commit.
`ProposePlan.commit`             The commit that would be made.
`commits`                        Commits in question.
`committer_email`                Mail address in commits of this repository.
`committer_name`                 Name in commits of this repository.
`complete`                       True if a placeholder is completed with its closing text.
`confidence`                     From 0 to 1.
`conflicts`                      Values that both sides changed differently.
`connection`                     Name of the model connection.
`content`                        Text of the template.
`context`                        Values for the variables of the template.
`RunAgentInputRequest.context`   Context of the client's application, by its protocol.
`core_focus`                     Texts about what core facts are for.
`cost`                           Cost in USD.
`count`                          Number of results on all pages.
`counts`                         Number of parts by what happens to them.
`State.counts`                   Numbers on the card, by name.
`coverage`                       Transitions that rehearsals take; null without a rehearsal.
`created_at`                     Time of creation.
`created_by`                     Name of the creator; null for a deleted user.
`credential`                     Kind of the credential.
`cron`                           Minute, hour, day of month, month and day of week.
`cron_task`                      Template of the task of a schedule.
`current`                        True for the newest version.
`date`                           Time of the commit.
`declarations`                   JSON pointer of the list of declared variables; empty without one.
`declares_objects`               True if the list declares variables as objects with a `name`.
`default`                        Value without an input.
`default_branch`                 The repository's main branch.
`delay_ms`                       Milliseconds before each simulated answer.
`deny`                           Names of tools that may not be called.
`NewForkRequest.deny`            True if a simulated person denies every question.
`NewRunRequest.deny`             True if a simulated person denies every question.
`departs`                        True for the row in which the runs diverge.
`departure`                      The first difference; null if there is none.
`description`                    What it is for.
`detail`                         The reason, the answer or the message.
`details`                        All errors, in the form of this one.
`developer`                      Text of the developer's part of the prompt.
`TokenCounts.developer`          Tokens of the developer's part.
`developer_prompt`               The developer's part of the role's prompt.
`dialect`                        Name of the pack's format.
`dialect_label`                  Name of the pack's format on screen.
`diff`                           Unified diff of the change.
`diverging_runs`                 Runs that would take another path; null if none was replayed.
`driver`                         What answers model calls, such as `rehearsal` or `model`.
`dropped`                        Number of parts that the other format cannot have.
`due_at`                         Time at which the schedule was due; null for a webhook.
`edited`                         The edited arguments of the call that is approved.
`edits`                          Edits, applied in order, all or none.
`effect`                         The request that waits for an answer.
`Pending.effect`                 Kind of the request.
`element`                        Id of the element, such as `state:draft`.
`enabled`                        True if the trigger is on.
`end`                            Offset of the first character behind it.
`end_column`                     Column behind the range, from 1.
`end_line`                       Last line of the range, from 1.
`ends`                           States in which the run is, or ended.
`entries`                        Transitions into the pack.
`GraphDifference.entries`        Transitions into the pack that differ.
`entry`                          True for a state in which a run can begin.
`Graph.entry`                    Id of the state in which a run begins; null for none.
`entry_message`                  Text at the beginning of the mode.
`error`                          Why it failed; empty if it did not.
`errors`                         Number of findings that are errors.
`estimate`                       True if the numbers are estimated.
`RunStart.estimate`              What the run may cost.
`estimated_input_tokens`         Estimated size of what the model was sent.
`event`                          Name of the event.
`WalkPlace.event`                Number of the event in the walk.
`events`                         Events, in order.
`ComparedRun.events`             Number of events.
`Walk.events`                    Number of events.
`example`                        An example of the value.
`examples`                       Examples of values.
`exit`                           Exit code of the command.
`exit_commands`                  Messages with which a person ends the mode.
`exit_message`                   Text at the end of the mode.
`expected_revision`              Number of the newest revision that the caller has read.
`expires_at`                     Time from which the token is refused; null for never.
`fact`                           Text of the fact.
`fail`                           Label of the transition of a negative verdict.
`fallback`                       True if the template replaces a missing one.
`fate`                           What happens to the part.
`feature`                        Kind of the part in the format.
`fetched_at`                     Time of the last fetch; null for none.
`field`                          JSON pointer into the values of the element's form.
`filename_template`              Name of the file, with variables.
`files`                          Files that changed.
`ImportFilesRequest.files`       Files of the packs.
`findings`                       Findings of the checks.
`findings_fixed`                 Findings that the change removes.
`findings_new`                   Findings that the change brings.
`finish_reason`                  Why the answer ended.
`finished_at`                    Time of the end; null before it.
`firings`                        The newest starts, refusals and skipped times.
`fix`                            Edits that remove the finding; null for none.
`fixes`                          Ways to mend a failed or paused run.
`fixture`                        True if the pack is in a folder of tests or examples.
`folder`                         Folder of the pack in the repository.
`folder_conflict`                A change in the folder that met an edit; null for none.
`folders`                        Folders that the operator allows.
`follows`                        Which revision is run.
`for`                            Who or what is waited for.
`forge`                          The server that opens pull requests; empty for plain git.
`forked_from`                    The run that this one continues; null for none.
`format`                         Format of the file.
`forwardedProps`                 Properties of the client's application; not read.
`fragment`                       A part of a pack, as `copy` returns it.
`from`                           Number of the older revision.
`gate`                           Transitions that the role's verdict takes; null for none.
`gate_eval`                      Template of the task of a gate.
`gate_fail`                      Text that a negative verdict has to follow.
`gate_pass`                      Text that a positive verdict has to follow.
`gates`                          State → transitions that its role's verdict takes.
`git_wins`                       True if a pack is not edited here and follows its branch.
`gone`                           Those that only the older version has.
`graph`                          The graph after the change; null if it is as before.
`group`                          Edits with one name are one step of undo.
`State.group`                    Id of the group that has the state; null for none.
`groups`                         Frames around states.
`GraphDifference.groups`         Frames that differ.
`guidelines`                     Rules of conduct, one a line.
`h`                              Height.
`has_credential`                 True if a credential is stored.
`has_header`                     True if the template's text begins with a header.
`has_hook_secret`                True if a secret of the forge's webhook is stored.
`has_key`                        True if a key is stored.
`hash`                           SHA-256 of the text.
`ModelRepliedEvent.hash`         SHA-256 of the bytes of the request's body.
`RunPausedEvent.hash`            SHA-256 of the bytes of the request's body.
`head`                           Number of the newest revision.
`header_hash`                    SHA-256 of the part that states share.
`height`                         Height; null for the usual one.
`help`                           An explanation of several sentences.
`hint`                           The next step; empty for none.
`holds`                          True if the run would take the same path.
`hours`                          Hours without an answer; 0 for no limit.
`how`                            How the two visits differ.
`id`                             Id of the object.
`AddState.id`                    Id of the new state.
`ComparedCount.id`               Id of the state or transition.
`RemoveState.id`                 Id of the state.
`Resize.id`                      Id of the state.
`SetEntry.id`                    Id of the state.
`WriteNote.id`                   Id of the state.
`idle`                           Seconds in which no worker had the run.
`ids`                            Ids of states and transitions.
`ignored`                        Files of the import that belong to no pack.
`in_pack`                        True if the pack declares the tool.
`inert`                          True if the transition is never taken in this profile.
`input`                          USD per million tokens of prompts.
`input_tokens`                   Tokens that the models read.
`inputs`                         Inputs of the run, by name.
`RunStart.inputs`                Inputs that the pack describes.
`inside`                         The canvas that the state opens; empty for none.
`installation_id`                Id of the installation of the GitHub App.
`intent`                         The intent in the answer.
`interrupt`                      True to end the agent's turn at once.
`interruptId`                    Id of the interrupt that is answered.
`is_system`                      True for a role that is delivered with the program.
`items`                          The elements of the section.
`joined`                         True if the position ended with the state.
`kept`                           Why the run is never pruned; empty if it may be.
`FateCounts.kept`                Number of parts that the other format has as well.
`PatchedRunChangeRequest.kept`   True to keep the run when old runs are pruned.
`key`                            Key of the request that is answered.
`AddObject.key`                  Key of the new object.
`CostSum.key`                    Number of the pack or person, or the day.
`Entry.key`                      Name of the entry in formats with several; empty otherwise.
`Match.key`                      Stable id of the match.
`NewConnectionRequest.key`       Secret key of the provider. Never shown.
`PatchedConnectionChangeRequest.key` Secret key of the provider. Never shown.
`PublishedAgent.key`             Key of the agent in its pack.
`SetEntry.key`                   Name of the entry in formats with several; empty otherwise.
`StoredAgent.key`                Key of the agent in its pack.
`StoredState.key`                Id of the state in its pack.
`StoredTransition.key`           Id of the transition in its pack.
`kind`                           Kind of the object.
`label`                          Text on the button or at the object.
`Connect.label`                  Event, intent or label of the transition.
`Relabel.label`                  The new event, intent or label.
`Route.label`                    [x, y] of the label; null for the usual place.
`StoredTransition.label`         Event, intent or label of the transition.
`TakenTransition.label`          Event, intent or label of the transition.
`Transition.label`               Event, intent or label of the transition.
`TransitionTakenEvent.label`     Event, intent or label of the transition.
`last`                           Number of the newest event.
`last_run`                       The newest run; null for none.
`left`                           Of the first run.
`PulledTogether.left`            Packs that were not pulled, with the reason.
`left_out`                       Folders with repositories of their own, which are left out.
`level`                          Severity.
`RepositoryDescription.level`    The user's right.
`Share.level`                    The right that is shared.
`ShareRequest.level`             The right that is shared.
`State.level`                    The canvas that has the state; empty for the pack's own.
`StoredState.level`              The canvas that has the state; empty for the pack's own.
`line`                           Line in the file, from 1; 0 for none.
`lines`                          Lines to draw, as points.
`PromptDifference.lines`         Lines of the text, with what happened to each.
`links`                          Elements that use this one or that it uses.
`listed_at`                      Time of the newest list of tools; null for none.
`made_at`                        Time of the version.
`made_by`                        Name of the author; null for a deleted user.
`main`                           Path of the file that stands for the pack.
`manifest`                       Prompts, tools and session of the mode.
`match_case`                     True if upper and lower case differ.
`matches`                        Places that match.
`max_turns`                      Turns of the session at most.
`max_visits`                     Visits of the state in a run at most; null without a limit.
`may`                            The user's right.
`may_share`                      True if the user may share the object.
`meaning`                        What the badge stands for.
`median`                         Half of the runs used less.
`members`                        Names of the users.
`memory`                         Notes of the pack's program for one position.
`memory_profile`                 Facts that the role remembers, and in which order.
`message`                        The sentence for people.
`GitExportRequest.message`       Message of the commit.
`NewBranchRequest.message`       Message of the commit.
`PackCommitRequest.message`      Message of the commit.
`ProposePlan.message`            Message of the commit.
`ProposeRequestRequest.message`  Message of the commit.
`messages`                       Messages of the conversation, by the protocol.
`method`                         HTTP method of the request.
`mine`                           The value here; null if it is deleted here.
`missed`                         What happens with times at which the server was down.
`mode`                           Id of the role's mode; null for none.
`ArtifactSetEvent.mode`          How the value is set: `append` adds it to the old one.
`NewForkRequest.mode`            Whether the run plans only, or also acts.
`NewRunRequest.mode`             Whether the run plans only, or also acts.
`PromptBlocks.mode`              Text of the role's mode.
`RunStartedEvent.mode`           Whether the run plans only, or also acts.
`mode_type`                      Kind of the mode.
`model`                          Name of the model.
`model_calls`                    Number of model calls.
`models`                         Sums by model.
`most`                           The run that used most.
`moved_from`                     Path of the pack before; null if it is new.
`n`                              Number of the event, from 1.
`name`                           Name of the object.
`names`                          Names that a placeholder can have.
`namespace`                      Namespace that has the fact.
`needs_pull`                     True if the branch has changes that the pack does not have.
`new_id`                         The new id.
`new_key`                        The new key.
`next`                           Address of the next page; null on the last one.
`DueTimes.next`                  The next due times.
`FreshTrigger.next`              The next due times.
`TriggerDescription.next`        The next due times.
`note`                           Text of a person about it.
`notes`                          What the rehearsal could not do.
`now`                            The new id.
`number`                         Number of the version, from 1.
`ProposedChange.number`          Number of the pull request; null without one.
`Walk.number`                    Number of the walk, from 1.
`object_id`                      Id of the object in question.
`object_name`                    Name of the object in question.
`of`                             Number of all transitions.
`opening`                        Text that opens a placeholder.
`operation`                      Id of the operation in this document.
`options`                        Options of the runs that it starts.
`origin`                         Where the pack came from.
`original_target`                Target of the transition before it was redirected.
`outcome`                        The result.
`ApprovalLimit.outcome`          What happens after these hours.
`ApprovalLimitRequest.outcome`   What happens after these hours.
`LimitApprovals.outcome`         What happens after these hours.
`outcomes`                       End of a run → number of runs that ended so.
`outline`                        Elements of the pack by section; null if they are as before.
`output`                         USD per million tokens of answers.
`Preview.output`                 Text about the form of the answer.
`output_template`                Template of the file's text.
`output_templates`               Texts about the form of answers.
`output_tokens`                  Tokens that the models wrote.
`overlap`                        What happens while a run of before is not over.
`override`                       Text at the end of every prompt of the state.
`owner`                          Name of the owner.
`SharingDescription.owner`       Name of the owner; null for an object of all users.
`pack`                           Id of the pack.
`Converted.pack`                 The new pack.
`ModelChoices.pack`              Choice for all states of the pack.
`pack_name`                      Name of the pack.
`packs`                          Packs in question.
`RepositoryDescription.packs`    Number of packs that follow it.
`palette`                        Kinds of states that can be added.
`parameters`                     Parameters of the model call; null removes a recorded one.
`parent`                         Commit before this one; empty for none.
`Group.parent`                   Id of the frame around this one; null for none.
`StateEnteredEvent.parent`       Position that this one branched from.
`parentRunId`                    Id of the run before, by the protocol.
`pass`                           Label of the transition of a positive verdict.
`past`                           What earlier runs used; null without any.
`path`                           Path of the file, below the pack's root.
`AuditEntry.path`                Path of the request's address.
`FreshTrigger.path`              Path of the webhook, below the server's address.
`LocalRepository.path`           Absolute path on the server.
`Problem.path`                   JSON pointer of the text.
`PromptWarning.path`             JSON pointer into the role's prompt config.
`RunDescription.path`            The newest states, oldest first.
`RunWorkspaceRequest.path`       Absolute path on the server.
`StartedRun.path`                The newest states, oldest first.
`TriggerDescription.path`        Path of the webhook, below the server's address.
`paths`                          Paths of the files, below the pack's root.
`pattern`                        What the label has to match, as a regular expression.
`paused`                         True to begin the run paused.
`payload`                        The answer to the interrupt.
`people`                         What people did in the run, in order.
`person`                         Name of a user.
`places`                         Where it is used.
`ConflictError.places`           Values that both sides changed differently.
`platform_scopes`                Scopes that the role has.
`pointer`                        JSON pointer in the file; empty for none.
`points`                         Points of the line, as [x, y].
`poll_seconds`                   Seconds between two fetches; 0 for none.
`position`                       Id of the position in the run.
`priority_categories`            Categories of facts that come first.
`problem`                        Why it failed; empty if it did not.
`problems`                       What is wrong with the template.
`profile`                        Name of the reading of the format.
`profiles`                       Names of the readings of the format; the first is the default.
`progress`                       The newest line about the progress.
`project`                        Name of the project.
`project_focus`                  Texts about what facts of a project are for.
`prompt`                         The prompt; null for none.
`ModeManifest.prompt`            Texts of the mode.
`ModeManifestRequest.prompt`     Texts of the mode.
`StoredState.prompt`             The prompt that the state calls, or its role.
`prompt_config`                  Texts and output forms of the role.
`prompts`                        Prompts that use the input; empty for all.
`provider`                       Name of the model's provider.
`pull_request`                   True to open a pull request as well.
`pulled`                         Packs that were pulled.
`pushed`                         True if the branch is on the server.
`query`                          Text to search for.
`question`                       Text of the question.
`readable`                       True if the pack can be read after the edits.
`reason`                         Why it is so; empty without a reason.
`reasoning`                      What the model wrote before its answer.
`rebased`                        True if the edits were applied to a newer revision.
`redirected`                     True if the visit limit of a state sent the run to another one.
`redo`                           The step that can be done again.
`ref`                            Name of a branch, tag or commit.
`reload`                         True if the graph has to be read again.
`removable`                      True if the element can be removed.
`removed`                        Those that only the older version has.
`renamable`                      True if the element can be renamed.
`renamed`                        Those with another id and the same content.
`repeated`                       True if this delivery had started its run before.
`report`                         What happens to each part.
`repositories`                   Repositories that the operator allows.
`repository`                     Address of the repository.
`RepositoryTask.repository`      Id of the repository.
`UpstreamState.repository`       The repository that the pack follows.
`request`                        The request as sent; null for none.
`required`                       True if a run needs it.
`response_model`                 Model that answered, as the provider names it.
`rest`                           True for all further calls of the tool in this run.
`result`                         Text of the result.
`RepositoryTask.result`          Result of the work; null before its end.
`results`                        Objects of this page.
`revision`                       Number of the revision.
`AgentRole.revision`             Number of the newest version.
`FreshTrigger.revision`          Number of the revision that is run; null for another choice.
`Prompt.revision`                Number of the newest version.
`TriggerDescription.revision`    Number of the revision that is run; null for another choice.
`reworded`                       True if the prompt differs.
`right`                          Of the second run.
`role`                           Id of the role.
`PromptBlocks.role`              Text of the role.
`RoleOfState.role`               Id of the role.
`State.role`                     Prompt or role of the state, as on its card; empty for none.
`roles`                          State → its role, as it was at the start.
`routes`                         Route of each transition, by its id; null if they are computed.
`rows`                           Visits side by side.
`rules`                          Rules of the format.
`run`                            Id of the run.
`ComparedRun.run`                The run.
`Forked.run`                     The new run.
`run_memory`                     Notes of the pack's program for the whole run.
`run_status`                     Status of the started run; null for none.
`runs`                           Number of runs.
`BulkRunsRequest.runs`           Ids of the runs.
`same`                           True if the runs took the same path.
`saved_at`                       Time of the newest revision.
`schema`                         JSON Schema of the form.
`schema_version`                 Version of the manifest's format.
`scope`                          Whom the fact is for.
`scopes`                         What the token may do.
`score`                          Score of the run; null removes it.
`scores`                         Scores that people gave.
`script`                         Answers of a scripted run, by state.
`seconds`                        Seconds that it took.
`RunWaitingEvent.seconds`        Seconds to wait.
`secret`                         Secret of the webhook. Shown once.
`secret_names`                   Names of secrets in the settings.
`section`                        Name of the group of names.
`seed`                           Number from which random choices follow.
`sent`                           The HTTP requests that were made, in order.
`sentence`                       What the test showed.
`server`                         The server's default; null if it has none.
`session`                        Length and end of the session.
`set`                            Those that both versions have with other values.
`settings`                       Settings of the tool's kind.
`shared`                         Number of first events that one run copied from the other.
`shares`                         Users and groups, with their rights.
`shortest`                       Transition → the shortest walk that takes it.
`simulated`                      Value of a rehearsal without an input.
`simulated_inputs`               Names of inputs that a rehearsal generated.
`size`                           Bytes.
`source`                         Id of the state that the transition leaves.
`ConversionReport.source`        Name of the first format.
`Route.source`                   [x, y, width, height] of the card that the line leaves.
`RunDescription.source`          What started the run.
`StartedRun.source`              What started the run.
`source_role_id`                 Id of the role that this one is a copy of; null for none.
`start`                          Offset of the first character.
`started_at`                     Time of the start.
`started_by`                     What started the run.
`state`                          Id of the state.
`RunAgentInputRequest.state`     State of the client's application; not read.
`stateless`                      True for an element without transitions, such as a fragment.
`states`                         States in question.
`Card.states`                    Number of states.
`Difference.states`              States that differ.
`GraphDifference.states`         States that differ.
`ModelChoices.states`            State → its choice.
`PackDetail.states`              Number of states.
`Rehearsal.states`               State → how often it was entered.
`RunComparison.states`           States that differ in visits.
`RunResult.states`               Sums by state.
`Sample.states`                  Number of states.
`status`                         Status of the object.
`AuditEntry.status`              Status of the response.
`ModelRepliedEvent.status`       Status of the response.
`RunPausedEvent.status`          Status of the response.
`stderr`                         What the command wrote to standard error.
`stdout`                         What the command wrote to standard output.
`step`                           True if the run pauses again after one step.
`structured`                     The answer's value; null for a text.
`subject`                        First line of the commit's message.
`suggested_id`                   An id that is free.
`summary`                        What changed.
`svg`                            The drawing.
`system`                         Text of the system's part of the prompt.
`TokenCounts.system`             Tokens of the system's part.
`system_addon`                   Text that the mode adds to the system's part.
`system_and_developer`           Both parts as one text.
`system_prompt`                  The system's part of the role's prompt.
`tags`                           Words to find the run by.
`take`                           Which side to take.
`taken`                          Number of transitions that were taken.
`takes`                          Input of the run → JSON pointer into the delivery's body.
`target`                         Id of the state that the transition enters.
`ConversionReport.target`        Name of the second format.
`ProposePlan.target`             Branch that the proposal is for.
`ProposedChange.target`          Branch that the proposal is for.
`Route.target`                   [x, y, width, height] of the card that the line enters.
`targets`                        Ids of states that can be the target; null for every state.
`task`                           Text of the task.
`task_type`                      Kind of the task.
`template`                       Name of the template; null for none.
`templates`                      Templates of tasks, by kind of the task.
`terminal`                       True for a state that ends its position.
`text`                           The text.
`PackFile.text`                  True if the file is a text.
`PullChoiceRequest.text`         Text that replaces both sides.
`texts`                          Position of a message, from `0` → its new text.
`theirs`                         The value there; null if it is deleted there.
`ConflictError.theirs`           Changes of others since the base.
`threadId`                       Id of the conversation, by the protocol.
`thumbnail`                      The graph as a small picture.
`ticket_task`                    Template of the task of a ticket.
`timezone`                       Time zone of the schedule, such as `Europe/Berlin`.
`tip`                            Newest commit of the branch.
`title`                          Title for people.
`to`                             Number of the newer revision.
`token`                          The token. Shown once.
`tokens`                         Number of tokens.
`WorstBound.tokens`              Tokens that models write at most; null without a bound.
`WorstCase.tokens`               Tokens that models write at most; null without a bound.
`tool`                           Name of the tool.
`McpTool.tool`                   Name of the tool on its server.
`tool_calls`                     Number of calls of tools.
`ModelRepliedEvent.tool_calls`   Calls of tools that the model asks for.
`ModelTrial.tool_calls`          Calls of tools that the model asks for.
`NewAnswerRequest.tool_calls`    Calls of tools that the answer asks for.
`NewSignalRequest.tool_calls`    Calls of tools that the answer asks for.
`tools`                          Tools, by name.
`McpServerDescription.tools`     Tools of the server.
`ModeManifest.tools`             Tools of the mode.
`ModeManifestRequest.tools`      Tools of the mode.
`PromptField.tools`              Names of the tools that the prompt can call.
`total`                          Tokens of the whole prompt.
`totals`                         Sums of the run.
`touches`                        What calls of this kind can change.
`transition`                     Id of the transition, `source|label|target`.
`transitions`                    Transitions in question.
`Card.transitions`               Number of transitions.
`ComparedRun.transitions`        Number of transitions that were taken.
`Difference.transitions`         Transitions that differ.
`GraphDifference.transitions`    Transitions that differ.
`PackDetail.transitions`         Number of transitions.
`Rehearsal.transitions`          Transition → how often it was taken.
`ResultTotals.transitions`       Number of transitions that were taken.
`RunComparison.transitions`      Transitions that were taken another number of times.
`Walk.transitions`               Number of transitions that were taken.
`tree`                           Id of the tree of files.
`trials`                         Number of model calls that a person sent again.
`tried`                          True if the run was only a trial.
`trigger`                        Id of the trigger; null for another source.
`RunStartedEvent.trigger`        Name of the trigger.
`trigger_name`                   Name of the trigger; empty for another source.
`turn`                           Number of the model call in the visit, from 1.
`turns`                          Answered model calls, in order.
`type`                           Type of the object; it decides the other properties.
`ArtifactValue.type`             Type of the value.
`ModeArtifact.type`              Type of the file.
`ModeArtifactRequest.type`       Type of the file.
`unanswered`                     Key of the request that cannot be answered now.
`undo`                           The step that can be undone.
`undoes`                         Number of the revision that this one undoes; null for none.
`unit`                           What is counted.
`unowned`                        True for an object that all users share.
`unreached`                      Transitions that no walk takes.
`unread`                         The arguments as the model wrote them, if they are no JSON object.
`until`                          Id of a state or transition; the run pauses there once.
`ComparedVisit.until`            Number of the visit's last event.
`updated_at`                     Time of the last change.
`upstream`                       The pack's state against its repository; null without one.
`upstream_commit`                Newest commit of the branch.
`url`                            Address on the web.
`usage`                          Tokens of the call, by kind.
`user`                           Name of the user.
`Preview.user`                   Text of the user's part of the prompt.
`TokenCounts.user`               Tokens of the user's part.
`username`                       Name of the user on the repository's server.
`usual`                          The default binding; null for a person.
`value`                          The value.
`Connect.value`                  Value of a conditional target; empty for others.
`Transition.value`               Value of a conditional target; null for others.
`values`                         Values of the form.
`RunInput.values`                The only values that are accepted; empty for all.
`version`                        Version of the template.
`visit`                          Number of the visit of this state, from 1.
`visits`                         Number of states that were entered.
`WorstBound.visits`              States that are entered at most; null without a bound.
`WorstCase.visits`               States that are entered at most; null without a bound.
`w`                              Width.
`waited_seconds`                 Seconds in which the run only waited for people.
`walk`                           Ids of the transitions that prove it.
`WalkPlace.walk`                 Number of the walk, from 1.
`walks`                          The walks, shortest first.
`warnings`                       What may be wrong.
`Card.warnings`                  Number of findings that are warnings.
`PackDetail.warnings`            Number of findings that are warnings.
`was`                            The old id.
`where`                          The part of the request at fault; empty for none.
`whole_file`                     True if one side has to be chosen for the whole file.
`whole_words`                    True if only whole words match.
`why`                            The reason.
`width`                          Width; null for the usual one.
`wire_text`                      The part of the prompt that was sent, if not all of it.
`word`                           Text of the badge.
`words`                          What the person did, such as `denied by ada`.
`works`                          True if the connection was accepted.
`workspace`                      Files that the run's tools and commands work on.
`worktree`                       True if the pack asks for a git work tree.
`worst`                          The most that a run can use.
`worst_case`                     The most that a run can use, before and after.
`x`                              Distance from the left; null without a place.
`y`                              Distance from the top; null without a place.
`yours`                          The value here; empty if it is deleted here.
`ConflictError.yours`            Edits of the request.
"""
"""Name of a property, or `schema.property` where one schema means something else → its description,
unless the schema has another."""
WORDS = dict(row[1:].split("`", 1) for row in TABLE.strip().splitlines())


def describe_properties(schemas: dict[str, Any]) -> None:
    """Add the descriptions to the schemas of a document, by their names. Raises LookupError for a
    property without words."""
    for name, schema in schemas.items():
        for properties in properties_of(schema):
            for key, shape in properties.items():
                words = shape.get("description") or WORDS.get(f"{name}.{key}") or WORDS[key]
                properties[key] = {**shape, "description": words.strip()}


def properties_of(schema: Any) -> Iterator[dict[str, dict[str, Any]]]:
    """The properties of a schema and of every schema in it."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            yield from properties_of(value)
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield schema["properties"]
