"""A server whose worker writes made-up recipes at once: `python -m quick_web.server LIBRARY [PASSWORD]`."""

import sys
from pathlib import Path

from cookscribe.web.services import Settings
from cookscribe.web.serving import serve

LIMIT = 3_000_000  # bytes of a film

if __name__ == "__main__":
    folder, *password = sys.argv[1:]
    worker = (sys.executable, "-m", "quick_web.worker", folder)
    serve(Settings(Path(folder), password=password[0] if password else None, max_upload=LIMIT, worker=worker), 0)
