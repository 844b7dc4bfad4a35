"""One file a tool: its input model, its data model, its function."""
