"""Wiring: settings, resources and the app. The only place that knows concrete classes."""
