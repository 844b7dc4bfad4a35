"""The benchmark behind `scripts/bench`: the real server, over stdio, against a private Dovecot."""
