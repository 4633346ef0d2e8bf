"""Where a prompt goes."""
