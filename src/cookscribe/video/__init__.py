"""Opening, probing and decoding video and sound (PyAV only).

    video = VideoFile("pancakes.mp4")           # refused here if it is not a film we read
    for frame in video.frames(rate=2, size=Size.square(224)):
        frame.time, frame.image                 # seconds, (224, 224, 3) RGB
    video.warnings                              # what was wrong with the file, in sentences

All times are seconds from the start of the film and come from presentation time stamps.
"""

from cookscribe.video.ahead import ahead
from cookscribe.video.container import Limits
from cookscribe.video.file import Frame, VideoFile
from cookscribe.video.geometry import Size
from cookscribe.video.info import VideoInfo, probe

__all__ = ["Frame", "Limits", "Size", "VideoFile", "VideoInfo", "ahead", "probe"]
