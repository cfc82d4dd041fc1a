"""Bytes in, bytes out: REST, gRPC, TLS and the CONNECT proxy.

The fronts know protocols and the table of methods, and no rule of the service.
"""
