"""What a release consists of: distributions, a bundle for desktop hosts, an entry of the registry."""
