"""Where sessions are read from. Nothing here ever writes under a session store."""
