"""A search that found nothing: where else to look, what is close to it, and what to search next."""
