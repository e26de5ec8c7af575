"""What reads pages that are pictures."""

from pathlib import Path

import pytest

from sourcebook.core.errors import ConfigurationError
from sourcebook.providers.converters.recognition import Language
from sourcebook.service.config.settings import Settings, load_settings
from sourcebook.service.doctor.checks import SETTINGS_CHECKS
from sourcebook.service.doctor.models import check_ocr
from sourcebook.service.wiring.conversion import ocr_language


def given(folder: Path, **changes: str) -> Settings:
    return load_settings().model_copy(update={"tessdata": folder, **changes})


def test_pictures_are_read_only_if_that_is_set(tmp_path: Path) -> None:
    (tmp_path / "deu.traineddata").touch()

    assert ocr_language(given(tmp_path)) is None
    read = given(tmp_path, ocr="tesseract", ocr_language="deu")
    assert ocr_language(read) == Language("deu", str(tmp_path))


def test_a_language_that_is_missing_is_said_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'eng'.*TESSDATA_PREFIX"):
        list(check_ocr(given(tmp_path, ocr="tesseract")))
    assert "OCR" in SETTINGS_CHECKS
