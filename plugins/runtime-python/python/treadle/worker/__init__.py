"""The process that runs Python Steps."""
