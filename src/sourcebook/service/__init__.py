"""Settings, wiring and the HTTP server. The only place that knows concrete classes."""
