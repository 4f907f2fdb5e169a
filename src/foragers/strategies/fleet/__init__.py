"""Fleets of foragers: the reinforcing agent, the foragers, and how they share time.

The system of Palotai, Farkas and Lőrincz (`selection`) and of Palotai, Mandusitz and
Lőrincz (`evolution`).  A *forager* walks from page to page and looks at every page linked
from where it stands.  What may be news it sends to the *reinforcing agent*, which rewards
what is news indeed, and lets foragers multiply or die.  docs/fleets.md says what the
papers leave open.
"""
