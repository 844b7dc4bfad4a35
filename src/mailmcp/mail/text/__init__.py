"""The text of a message as a person reads it: its body, without quoted history, in short."""
