"""How an agent graph runs (agent-graph page, sections 2 and 4 to 7).

A position is a node that is awake: it takes turns, one model call each, until nothing is queued for
it any more, and then its position ends. Whoever hands something to a node that is asleep wakes it
beside itself. So nodes work at once and each of them one turn after the other.

What a node has (its queues, what it said, its counters) lies in the run's memory under `node:<id>`,
what was added to the graph under `nodes` and `edges`. The modules: `scene` is one look at all of
that with what is to be changed; `turns` begins and ends turns, `calls` carries out what a reply
asks for, one call after another, with `requests`, `gates`, `growing` and `handing` for the single
tools; `payload` and `texts` write the prompt; `stalls` finds agents that go round in circles;
`idle` decides what happens when everybody is done; `outside` hears what people say.
"""
