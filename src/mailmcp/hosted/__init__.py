"""One mailmcp for many users: each signs in with the organisation's identity and gets their own mailbox."""
