"""The settings of a model > its encoder."""

from __future__ import annotations

from renvoi.embed import Encoder
from renvoi.embed.settings import Settings
from renvoi.errors import BadInput


def open_encoder(settings: Settings) -> Encoder:
    """Return the encoder of a model: the embedded one, or one of sentence-transformers.

    Raises:
        MissingDependency: its package is not installed.
        MissingModel: it is not on this machine.
    """
    if settings.name == "embedded":
        from renvoi.embed.embedded import EmbeddedEncoder

        given = [key for key in ("pooling", "max_length", "prefixes") if getattr(settings, key) is not None]
        if given or not settings.normalise:
            raise BadInput("embedded", f"the packaged model has no option {(given or ['normalise'])[0]!r}")
        return EmbeddedEncoder()
    from renvoi.embed.sentence import SentenceEncoder

    return SentenceEncoder(settings)
