"""What a training script imports: arguments, environment, metrics and strategies.

It ships into the training container beside the script. It needs the standard library alone at
import; argparse-dataclass, cloudml-hypertune, Keras and TensorFlow are imported when first used.
It submits nothing and knows no endpoint.

    from vertex_jobs.runtime import arguments, environment, metrics, strategies
"""
