"""Wires what reads documents of other formats: conversion to text, and pictures of their pages."""

from sourcebook.core.ports import FileConversion
from sourcebook.core.uploads import PagePictures
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.settings import Settings

# A reader waits for the picture of a page.
MAX_DRAWING_S = 20.0


def wire_conversion(settings: Settings) -> FileConversion:
    """Return what converts the files of books, with the limits of the settings."""
    from sourcebook.providers.converters.conversion import InstalledConverters  # noqa: PLC0415
    from sourcebook.providers.converters.process import (  # noqa: PLC0415
        MIB,
        ConversionLimits,
        ConversionProcess,
    )

    memory_bytes = settings.conversion_memory_mb * MIB
    process = ConversionProcess(ConversionLimits(settings.conversion_timeout_s, memory_bytes))
    return InstalledConverters(Registry(), process.convert)


def wire_page_pictures(settings: Settings) -> PagePictures:
    """Return what draws pages; in another process, so that readers do not wait for conversion."""
    from sourcebook.providers.converters.page_pictures import PdfPagePictures  # noqa: PLC0415
    from sourcebook.providers.converters.process import (  # noqa: PLC0415
        MIB,
        ConversionLimits,
        ConversionProcess,
    )

    timeout_s = min(settings.conversion_timeout_s, MAX_DRAWING_S)
    limits = ConversionLimits(timeout_s, settings.conversion_memory_mb * MIB)
    return PdfPagePictures(ConversionProcess(limits).render)
