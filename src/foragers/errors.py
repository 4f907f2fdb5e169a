"""The one exception that is the user's to mend."""


class UsageError(Exception):
    """Wrong input: the message is one line that names the option or file and the remedy."""
