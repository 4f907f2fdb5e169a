"""The loop, its protocols, and the records that pass through it; begin reading here."""
