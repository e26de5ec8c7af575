"""Wires what reads documents of other formats: conversion to text, and pictures of their pages."""

from typing import TYPE_CHECKING

from sourcebook.core.errors import ConfigurationError
from sourcebook.core.ports import FileConversion
from sourcebook.core.uploads import PagePictures
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.settings import Settings

if TYPE_CHECKING:
    from sourcebook.providers.converters.recognition import Language

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
    from sourcebook.providers.converters.recognition import PageRecognition  # noqa: PLC0415

    memory_bytes = settings.conversion_memory_mb * MIB
    process = ConversionProcess(ConversionLimits(settings.conversion_timeout_s, memory_bytes))
    language = ocr_language(settings)
    if language is None:
        return InstalledConverters(Registry(), process.convert)
    page_limits = ConversionLimits(
        settings.ocr_page_timeout_s, memory_bytes, "SOURCEBOOK_OCR_PAGE_TIMEOUT_S"
    )
    recognition = PageRecognition(ConversionProcess(page_limits).recognize, language)
    return InstalledConverters(Registry(), process.convert, recognition)


def ocr_language(settings: Settings) -> "Language | None":
    """Return the languages of pages that are pictures, if those are read; ConfigurationError."""
    from sourcebook.providers.converters.recognition import (  # noqa: PLC0415
        find_language,
        tessdata_folders,
    )

    if settings.ocr == "off":
        return None
    folders = [settings.tessdata] if settings.tessdata else tessdata_folders()
    found = find_language(settings.ocr_language, folders)
    if found is None:
        raise ConfigurationError(
            f"SOURCEBOOK_OCR is tesseract, and there is no data for {settings.ocr_language!r} in"
            f" {', '.join(map(str, folders))}: install tesseract and its languages, or set"
            " TESSDATA_PREFIX"
        )
    return found


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
