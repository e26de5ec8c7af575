"""The HTTP server: the app with its middleware, and the processes that run it."""
