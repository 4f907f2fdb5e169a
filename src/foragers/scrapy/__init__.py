"""Scrapy with the order of a strategy: a scheduler, and an add-on that lets it learn.

    ADDONS = {"foragers.scrapy.Addon": 500}
    FORAGERS_TOPIC = "solar panel"

docs/scrapy.md describes the settings.
"""

from foragers.scrapy.addon import Addon
from foragers.scrapy.scheduler import Scheduler

__all__ = ["Addon", "Scheduler"]
