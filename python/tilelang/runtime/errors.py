"""Errors of artifacts and launches."""

from __future__ import annotations

from ..errors import TileLangError


class ArtifactError(TileLangError, ValueError):
    """A file that is no kernel artifact, is of another format version, or is damaged."""


class LaunchError(TileLangError, RuntimeError):
    """A launch that the device refuses."""
