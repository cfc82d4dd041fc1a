"""The environment that points Google's clients at Local Vertex: variables and certificates."""
