"""Health, readiness and metrics: for people, clients of every contract, and orchestrators."""
