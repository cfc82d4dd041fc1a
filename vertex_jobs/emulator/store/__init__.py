"""What survives a restart: resources in SQLite, log lines in append-only files."""
