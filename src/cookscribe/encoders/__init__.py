"""Frozen encoders: a video becomes a FeatureTrack.

    encoder = load_encoder("effnet+speech")
    track = encoder.encode(VideoFile("pancakes.mp4"))

Heavy libraries are imported when an encoder is loaded, not before.
"""

from cookscribe.encoders.base import Encoder, EncoderOptions, Progress
from cookscribe.errors import BadValueError

NAMES = ("effnet", "tinyvit", "dinov2", "clip", "siglip", "milnce", "i3d", "speech", "tsn")

__all__ = ["NAMES", "Encoder", "EncoderOptions", "Progress", "load_encoder"]


def load_encoder(name: str, options: EncoderOptions | None = None) -> Encoder:
    """The encoder `name`, with its weights; `a+b` joins two or more on one time line.

    Raises:
        BadValueError: no such encoder, or one that needs an option which is not given.
        MissingDependencyError: its weights or packages are not installed; the message says how to get them.
    """
    options = options or EncoderOptions()
    parts = name.split("+")
    if len(set(parts)) != len(parts):
        raise BadValueError(name, "names an encoder twice", f"known are {', '.join(NAMES)}, joined by +")
    if len(parts) > 1:
        from cookscribe.encoders.joined import JoinedEncoder

        return JoinedEncoder([_load_one(part, options) for part in parts])
    return _load_one(name, options)


def _load_one(name: str, options: EncoderOptions) -> Encoder:
    if name == "effnet":
        from cookscribe.encoders.effnet import RATE, EffNetEncoder

        return EffNetEncoder(options.weights.get("effnet"), options.rate or RATE, options.device)
    if name in ("tinyvit", "dinov2"):
        from cookscribe.encoders import published_graphs

        return published_graphs.GraphEncoder(name, options.weights.get(name), options.rate or published_graphs.RATE)
    if name in ("clip", "siglip"):
        from cookscribe.encoders import image_towers

        rate = options.rate or image_towers.RATE
        return image_towers.TowerEncoder(name, options.weights.get(name), rate, options.device)
    if name == "milnce":
        from cookscribe.encoders.milnce import MilNceEncoder

        return MilNceEncoder(options.weights.get("milnce"), options.device)
    if name == "i3d":
        from cookscribe.encoders.i3d import I3dEncoder

        return I3dEncoder(options.weights.get("i3d"), options.device)
    if name == "speech":
        from cookscribe.encoders.speech import SpeechEncoder
        from cookscribe.senses.recogniser import FromFile, Whisper

        recogniser = (
            FromFile(options.transcripts)
            if options.transcripts
            else Whisper(options.weights.get("whisper"), options.language, options.device)
        )
        return SpeechEncoder(recogniser, options.weights.get("minilm"))
    if name == "tsn":
        from cookscribe.encoders.tsn import TsnEncoder, TsnFolder, read_lengths

        if options.tsn_folder is None or options.video_lengths is None:
            raise BadValueError("tsn", "needs the feature folder and the file of video lengths")
        return TsnEncoder(TsnFolder(options.tsn_folder, read_lengths(options.video_lengths)))
    raise BadValueError(name, "no encoder of this name", f"known are {', '.join(NAMES)}, joined by +")
