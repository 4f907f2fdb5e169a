"""What builds the documentation site: pages made from the code, mathematics, notebooks."""
