"""Values that every layer shares: message refs, the query, cursors, resource URIs. Pure."""
