"""A run's log as events of AG-UI, the protocol between agents and their front ends, version 1.0."""
