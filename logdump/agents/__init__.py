"""``logdump mcp``: the features as tools for agents, by the Model Context Protocol, read-only, below folders."""
