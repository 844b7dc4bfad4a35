"""What servers get wrong in searches: probes, verdicts, and checks of their results."""
