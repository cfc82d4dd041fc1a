"""The launcher: a clean process of its own that parents every replica.

``launcher_client``, ``launcher_process`` and ``launched_replica`` are the server's end;
``__main__`` and the modules that it imports are the process; ``bootstrap`` and ``warm_parent`` run
inside the replicas, by path. The server decides what a replica is told, and when a job's replicas
start and stop.
"""
