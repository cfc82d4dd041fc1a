"""What a training script imports: arguments, environment, metrics, strategies and more.

It ships into the training container beside the script. It needs the standard library alone at
import; argparse-dataclass, cloudml-hypertune, Keras and TensorFlow are imported when first used.
It submits nothing and knows no endpoint.

    from vertex_jobs.runtime import arguments, environment, metrics, resume, strategies

``evaluation`` is for evaluators, ``keras_tuner_cluster`` for Keras Tuner over several replicas.
"""
