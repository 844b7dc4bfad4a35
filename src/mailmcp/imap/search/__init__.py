"""Searching mailboxes: plan, run, order, page. Read `run` first."""
