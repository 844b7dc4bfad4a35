"""Changes to mail, on sessions of their own: read `values`, then `prepare`, `carry_out`, `look_up`."""
