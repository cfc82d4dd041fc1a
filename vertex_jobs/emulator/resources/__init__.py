"""The state machines of Local Vertex, over the API's own messages.

Rules only: nothing here knows HTTP, processes or files.
"""
