"""Resources in SQLite and log lines in append-only files, which survive a restart."""
