"""The one reading of a text: Markdown to blocks with spans, plain text, sentences, statements."""
