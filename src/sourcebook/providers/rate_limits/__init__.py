"""Where calls are counted that several processes let in."""
