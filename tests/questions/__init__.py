"""Twenty questions that people ask about their mail, and a mailbox that has the answers.

Not part of the test suite: `README.md` says how to put them to an agent.
"""
