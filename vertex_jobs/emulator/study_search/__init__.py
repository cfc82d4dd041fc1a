"""The search of a study, in a process of its own, so that a long suggestion stalls nobody."""
