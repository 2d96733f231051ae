"""Assets that read what the gate has published: how a consumer builds on it."""
