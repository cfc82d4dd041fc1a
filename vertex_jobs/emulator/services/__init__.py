"""The RPCs: each unpacks the request, calls the rules and packs the answer.

Services know neither HTTP nor gRPC; the fronts call them through the table in ``methods``.
"""
