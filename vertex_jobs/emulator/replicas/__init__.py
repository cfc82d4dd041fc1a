"""What a replica runs, where and with which variables; nothing here knows how a job ends."""
