"""Talking to a harness over HTTP: one transport, two generations of its wire (docs/harness.md)."""
