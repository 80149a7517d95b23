"""The base of every configuration: frozen, validated, JSON both ways, and clear about what was wrong."""

from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from cookscribe.errors import BadValueError
from cookscribe.files import MOST_DESCRIPTION, read_json, write_json


def explain(error: ValidationError) -> str:
    """Turn pydantic's report into one line: where, what is wrong, what was given; the first three faults are enough."""
    parts = []
    faults = error.errors(include_url=False)
    for item in faults[:3]:
        where = ".".join(str(piece) for piece in item["loc"]) or "value"
        parts.append(f"{where}: {item['msg'].removeprefix('Value error, ')}, got {item['input']!r:.80}")
    if len(faults) > 3:
        parts.append(f"and {len(faults) - 3} more")
    return "; ".join(parts)


class Config(BaseModel):
    """A named set of choices. Unknown keys are refused, so that a misspelt option is never silently ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, value: Any, subject: str | Path = "configuration") -> Self:
        """Validate `value` (a dictionary); a wrong one raises `BadValueError` naming `subject`."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise BadValueError(subject, explain(error), "see docs for the allowed values") from None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and validate a JSON file."""
        return cls.parse(read_json(path, MOST_DESCRIPTION), path)

    def save(self, path: Path) -> None:
        """Write as JSON, atomically."""
        write_json(path, self.model_dump(mode="json"))
