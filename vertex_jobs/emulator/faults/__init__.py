"""Fault injection: rules of when a fault happens, and its effect on calls."""
