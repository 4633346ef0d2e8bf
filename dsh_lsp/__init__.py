"""A language server for prompts of the DeepSeek Harness."""

__version__ = "0.1.0"
