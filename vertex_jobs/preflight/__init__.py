"""What can be known about a job before it costs money: mistakes, and the cost itself.

For the verbs ``check`` and ``run``. It reads the catalog, the config and the script, asks the
script's own parser in a child process, and contacts nothing.
"""
