"""Builds and tries what a release consists of: distributions, a bundle for desktop hosts, a registry entry."""
