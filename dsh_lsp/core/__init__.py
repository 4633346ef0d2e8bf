"""Text and bytes in, values out: no I/O, no clock, no async."""
