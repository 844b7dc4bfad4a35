"""Who wrote, where links lead, and what of that is not what it looks like."""
