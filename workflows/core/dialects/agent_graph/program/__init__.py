"""Runs of an agent graph (agent-graph page, sections 2 and 4 to 7).

A position is an active node. It takes turns of one model call each until its queues are empty; then
the position ends. A handoff to a sleeping node starts a position for it. So nodes work
concurrently, and each node has one turn at a time.

The state of a node (queues, summary, counters) is in the run's memory under `node:<id>`; added
nodes and edges are under `nodes` and `edges`. Modules: `context` reads this state and collects
changes; `turns` starts and ends turns; `tool_calls` executes the calls of a reply, with
`call_arguments`, `call_permissions`, `graph_changes` and `handoffs`; `task_block` and
`fixed_prompt` build the prompt; `stalls` detects stalls; `next_turn` decides what follows a turn;
`interventions` handles messages from people.
"""
