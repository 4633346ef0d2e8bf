"""What the editor asks: a module for each request, whose `answer` gives the result.

Each takes its snapshot when the request arrives. A module is imported by the first request that it
answers, so that the first completion waits for nothing but its own imports (docs/performance.md).
"""
