"""What a weight file must not be able to do, for tests and benchmarks."""

import os
from pathlib import Path


class Harmful:
    """Unpickled carelessly, it makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.folder),)
