"""The replicas of jobs: what they run, where and with which variables, but not how a job ends."""
