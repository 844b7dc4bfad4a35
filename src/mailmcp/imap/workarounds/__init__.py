"""What servers get wrong in searches, each with the server's name: probes, plans around them, checks.

`server.CheckedServer` is what a search sees of this.
"""
