"""Local Vertex: an emulator of Vertex AI training that speaks the service's own API."""
