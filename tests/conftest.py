"""Being here puts this folder on the path, so that tests can import `worlds_by_hand`."""
