"""From the lines of a session log to what the model currently sees (docs/storage.md)."""
