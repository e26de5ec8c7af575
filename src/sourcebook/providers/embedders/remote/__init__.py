"""What embedders that call an HTTP service share: settings, batching, errors, parsing."""
