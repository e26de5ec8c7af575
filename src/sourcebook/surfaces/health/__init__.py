"""How the service is doing: for people, for clients of every contract, and for orchestrators."""
