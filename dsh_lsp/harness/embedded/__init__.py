"""An agent loop in process: it records what a harness records, and needs no model."""
