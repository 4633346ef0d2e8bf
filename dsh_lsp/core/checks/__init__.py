"""All problems of a prompt that need to know its sources (docs/diagnostics.md)."""
