"""Starts mailmcp, for hosts that run the entry point instead of the command."""

from mailmcp.__main__ import main

main()
