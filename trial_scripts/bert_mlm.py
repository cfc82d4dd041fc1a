"""A BERT masked language model, trained with KerasHub on every device of one machine.

Words are masked, and the model learns to fill them in. The defaults need no network: the text is
the docstrings of Python's standard library, the vocabulary comes from it, and the BERT is small and
untrained. ``--preset`` downloads a trained BERT, ``--text`` a text from Wikipedia.

    python trial_scripts/bert_mlm.py
    python trial_scripts/bert_mlm.py --preset=bert_tiny_en_uncased --text=wikitext-2
    vertex-jobs run configs/bert_mlm.yaml

Reports ``loss`` and ``accuracy`` of masked words in held-back text, after every epoch.
"""

import ast
import io
import os
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional

import keras
import keras_hub
import numpy as np
import tensorflow as tf

from vertex_jobs.runtime import arguments, environment, metrics, strategies

WIKITEXT = "https://wikitext.smerity.com/wikitext-2-v1.zip"  # its author's own copy
VOCABULARY, LENGTH = 1000, 48  # word pieces at most, and tokens of a text
MASKED = LENGTH * 15 // 100  # as many of them as BERT masks, 15 %
RESERVED = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(
        default=0.002, metadata={"help": "initial, per replica; falls to 0", "range": (1e-7, 1.0)}
    )
    batch_size: int = field(default=16, metadata={"help": "texts per replica", "range": (1, 1024)})
    epochs: int = field(default=4, metadata={"help": "passes over the text", "range": (1, 1000)})
    text: Literal["docstrings", "wikitext-2"] = field(
        default="docstrings", metadata={"help": "what is read; wikitext-2 is downloaded"}
    )
    texts: int = field(default=4000, metadata={"help": "paragraphs at most", "range": (64, 10**6)})
    preset: Optional[str] = field(
        default=None, metadata={"help": "model of KerasHub to go on from"}
    )
    devices: int = field(default=2, metadata={"help": "replicas, one a device", "range": (1, 64)})
    memory_limit: Optional[int] = field(
        default=None,
        metadata={"help": "of a replica, to share a GPU", "unit": "MiB", "range": (64, 1_000_000)},
    )
    output_dir: str = field(default="output/bert_mlm", metadata={"help": "of a run outside a job"})


def read_docstrings() -> list[str]:
    """Return paragraphs of the standard library's docstrings, in the order of its files."""
    paragraphs = []
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    library = Path(os.__file__).parent
    for path in sorted([*library.glob("*.py"), *library.glob("[!st]*/*.py")]):  # not site-packages
        for node in ast.walk(ast.parse(path.read_bytes())):
            text = (ast.get_docstring(node) if isinstance(node, documented) else None) or ""
            paragraphs += [" ".join(part.split()) for part in text.split("\n\n")]
    return paragraphs


def read_wikitext() -> list[str]:
    """Return the lines of wikitext-2's training part."""
    request = urllib.request.Request(WIKITEXT, headers={"User-Agent": "Mozilla/5.0"})  # else 403
    with urllib.request.urlopen(request) as answer:
        archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    return archive.read("wikitext-2/wiki.train.tokens").decode().splitlines()


options = arguments.parse(Options)
writing = environment.current().write_to(options.output_dir)
devices = strategies.Devices(options.devices, options.memory_limit)
strategy = strategies.strategy("mirrored", devices=devices)
keras.utils.set_random_seed(1)
replicas = strategy.num_replicas_in_sync
global_batch = options.batch_size * replicas

# Text: short paragraphs have too little context; a tenth of the rest is held back.
paragraphs = read_docstrings() if options.text == "docstrings" else read_wikitext()
paragraphs = list(dict.fromkeys(text for text in paragraphs if len(text) > 100))
np.random.default_rng(0).shuffle(paragraphs)
paragraphs = paragraphs[: options.texts]
held_back, training = paragraphs[: len(paragraphs) // 10], paragraphs[len(paragraphs) // 10 :]

hub, sizes = keras_hub.models, {"sequence_length": LENGTH, "mask_selection_length": MASKED}
if options.preset:
    load = hub.BertMaskedLMPreprocessor.from_preset
    preprocessor = load(options.preset, **sizes)
else:
    text = tf.data.Dataset.from_tensor_slices(training)
    count = keras_hub.tokenizers.compute_word_piece_vocabulary
    pieces = count(text, VOCABULARY, lowercase=True, reserved_tokens=RESERVED)
    tokenizer = hub.BertTokenizer(pieces, lowercase=True)
    preprocessor = hub.BertMaskedLMPreprocessor(tokenizer, **sizes)


def prepare(texts: list[str]) -> tf.data.Dataset:
    """Return batches of masked texts without the last one, which may be short."""

    def as_numbers(inputs: Any, *rest: Any) -> Any:
        # Keras 3 adds up the first batch over the replicas, which it cannot do with booleans.
        return inputs | {"padding_mask": tf.cast(inputs["padding_mask"], "int32")}, *rest

    batches = tf.data.Dataset.from_tensor_slices(texts).batch(global_batch, drop_remainder=True)
    return batches.map(preprocessor).map(as_numbers).cache().prefetch(tf.data.AUTOTUNE)


batches = prepare(training)
with strategy.scope():
    if options.preset:
        model = hub.BertMaskedLM.from_preset(options.preset, preprocessor=None)
    else:
        backbone = hub.BertBackbone(
            len(pieces), num_layers=2, num_heads=2, hidden_dim=64, intermediate_dim=128
        )
        model = hub.BertMaskedLM(backbone, preprocessor=None)
    model.backbone.get_layer("pooled_dense").trainable = False  # it fills in no words
    rate = keras.optimizers.schedules.PolynomialDecay(
        options.learning_rate * replicas, len(batches) * options.epochs, end_learning_rate=0.0
    )
    model.compile(
        optimizer=keras.optimizers.AdamW(rate),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
        jit_compile=False,  # XLA cannot compile a step for several devices
    )
model.fit(
    batches,
    epochs=options.epochs,
    validation_data=prepare(held_back),
    shuffle=False,
    verbose=2,
    callbacks=[
        metrics.ReportMetrics({"loss": "val_loss", "accuracy": "val_accuracy"}),
        keras.callbacks.TensorBoard(writing.tensorboard_log_dir),
    ],
)
model.export(writing.model_dir, verbose=False)  # a SavedModel for serving
model.save(writing.model_dir + "model.keras")
