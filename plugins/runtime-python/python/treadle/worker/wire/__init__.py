"""The wire: frames, their JSON, and streams of chunks."""
