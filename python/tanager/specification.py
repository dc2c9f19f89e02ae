"""What scores and parameter estimators have in common: a registered name and settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

__all__ = ["Specification"]


@dataclass(frozen=True)
class Specification:
    """A registered name with its settings, as the core takes it."""

    name: ClassVar[str]

    def specification(self) -> tuple[str, dict[str, Any]]:
        """The registered name and the settings."""
        return self.name, asdict(self)
