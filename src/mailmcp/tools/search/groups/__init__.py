"""The groups of a search with `group_by`: what they are by, how they are counted, what the reply shows."""
