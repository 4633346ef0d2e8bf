"""The commands of `workspace/executeCommand`: from arguments to JSON (docs/commands.md)."""
