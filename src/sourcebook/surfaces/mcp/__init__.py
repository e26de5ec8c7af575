"""The Model Context Protocol: tools, resources and a prompt, with which agents read the books."""
