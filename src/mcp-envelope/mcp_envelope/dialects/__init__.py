"""One outcome, several wire shapes: each dialect renders an outcome as a JSON object."""
