"""What the user configures: one TOML file, the environment and the command line, checked as a whole."""
