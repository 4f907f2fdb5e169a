"""The queue of URLs that wait to be fetched."""

from foragers.frontier.frontier import Frontier

__all__ = ["Frontier"]
