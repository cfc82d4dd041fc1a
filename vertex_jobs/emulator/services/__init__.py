"""What each RPC does: unpack the request, call the rules, pack the answer.

Services know neither HTTP nor gRPC; the fronts call them through the table in ``methods``.
"""
