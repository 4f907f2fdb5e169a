"""The version of the package: the one place where it is set."""

__version__ = "0.1.0"
