"""The sample account: some 200 varied messages, made by code; one file a kind of mail."""
