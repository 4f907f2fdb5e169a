"""Crawls for agents: a server of the Model Context Protocol (`foragers mcp`)."""
