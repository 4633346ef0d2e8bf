"""The language server: the only package that knows LSP, pygls or a position encoding."""
