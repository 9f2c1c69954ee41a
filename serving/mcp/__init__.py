"""The MCP server: memory as tools, resources and a prompt, for any client that speaks the Model Context Protocol."""
