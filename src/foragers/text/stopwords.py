"""Words that say little about what an English text is about."""

_WORDS = """
a about above after again against all also am an and any are as at be because been before
being below between both but by can could did do does doing don down during each either few
for from further had has have having he her here hers herself him himself his how i if in into
is isn it its itself just may me might more most must my myself no nor not now of off on once
one only or other our ours ourselves out over own per same shall she should so some such than
that the their theirs them themselves then there these they this those through to too under
until up upon us very via was we were what when where whether which while who whom why will
with within without would yet you your yours yourself yourselves
"""

ENGLISH_STOPWORDS = frozenset(_WORDS.split())
