"""One reader a format. They run in the worker process alone: nothing here is imported by the server."""
