"""The loop, its protocols, and the facts that pass through it; begin reading here."""
