"""Searching mailboxes, as a well-behaved server needs it: plan, run, order, page.

Read `run` first. `server` is the seam to `mailmcp.imap.workarounds`.
"""
