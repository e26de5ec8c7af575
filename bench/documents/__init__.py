"""Documents of every format, made from markdown, and how well they are converted."""
