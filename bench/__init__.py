"""The benchmark: Sourcebook compared with its peers, in the same run on the same machine."""
