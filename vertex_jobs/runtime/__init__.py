"""The modules that a training script imports: arguments, environment, metrics, strategies and more.

They travel into the training container beside the script. At import they need the standard library
alone; argparse-dataclass, cloudml-hypertune, Keras and TensorFlow are imported at first use.

    from vertex_jobs.runtime import arguments, environment, metrics, resume, strategies

``evaluation`` is for evaluators, ``keras_tuner_cluster`` for Keras Tuner over several replicas.
"""
