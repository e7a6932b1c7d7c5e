"""Version of this package, told to the engine in ``hello``."""

VERSION = "0.1.0"
