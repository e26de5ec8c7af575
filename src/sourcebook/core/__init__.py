"""The domain: values, filters, errors and ports. Standard library only."""
