"""OpenAI's API, as its clients speak it: every answer is the checked one, with its citations."""
