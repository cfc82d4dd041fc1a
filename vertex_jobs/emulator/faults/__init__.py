"""What goes wrong on purpose: rules that say when, and what is done to calls and replicas."""
