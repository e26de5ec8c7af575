"""What we talk about: values, filters, errors and ports. Standard library only, no I/O."""
