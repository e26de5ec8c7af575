"""How: adapters that connect the ports to outside systems, one SDK per file."""
