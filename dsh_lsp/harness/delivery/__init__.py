"""Sending a prompt once: the outbox, and what became of each prompt in it (docs/harness.md)."""
