"""`python -m tests.chaos`: runs that are real work, while their processes are killed with -9."""
