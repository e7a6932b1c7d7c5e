"""HTTP requests of a test engine: routing, validation and answers, without sockets."""
