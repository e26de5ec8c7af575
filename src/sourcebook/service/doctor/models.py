"""Checks the models: whether they are installed, and whether the bundled one works."""

import asyncio
import time
from collections.abc import Iterator

from sourcebook.core.errors import ConfigurationError, SourcebookError
from sourcebook.providers.inference.local_models import BUNDLED, BUNDLED_MODEL, EMBEDDER, locate
from sourcebook.providers.readers.adapter import read_adapter
from sourcebook.providers.registry.registry import Registry
from sourcebook.service.config.data_folder import DataFolder
from sourcebook.service.config.models_file import ModelEntry
from sourcebook.service.config.settings import Settings, local_unless_told
from sourcebook.service.doctor.results import CheckResult, ok, problem
from sourcebook.service.wiring.conversion import ocr_language
from sourcebook.service.wiring.models import entries_or_bundled, open_model
from sourcebook.service.wiring.provider_choices import (
    Choice,
    chosen_card,
    judge_choice,
    judging_choice,
    language_model_choice,
    local_model,
    model_choice,
    reader_choice,
    reranker_choice,
)

SENTENCE = "A node is one process of a ROS 2 system."


def check_models(settings: Settings) -> Iterator[CheckResult]:
    """Look for every configured model; load the bundled one and embed a sentence with it."""
    folder = DataFolder(settings.data_dir)
    for entry in entries_or_bundled(settings):
        name, choice = f"Model {entry.id}", model_choice(settings, entry)
        try:
            found = _found(choice, folder)
            if entry.path.startswith(BUNDLED):
                found = asyncio.run(_loaded(settings, entry, folder))
        except SourcebookError as error:
            yield problem(name, error.message)
        else:
            yield ok(name, found)


def check_reranker(settings: Settings) -> Iterator[CheckResult]:
    """Look for the reranker, if there is one."""
    choice = reranker_choice(settings)
    if choice is None:
        yield ok("Reranker", "none configured")
    else:
        yield ok("Reranker", _found(choice, DataFolder(settings.data_dir)))


def check_judge(settings: Settings) -> Iterator[CheckResult]:
    """Look for the judge, if there is one; it should not be the model that writes."""
    choice = judge_choice(settings)
    if choice is None:
        yield ok("Judge", "none configured")
        return
    asked = judging_choice(choice)
    found = _found(asked, DataFolder(settings.data_dir))
    if asked == language_model_choice(settings):
        found += ", which also writes the answers; SOURCEBOOK_JUDGE_MODEL names another"
    yield ok("Judge", found)


def check_ocr(settings: Settings) -> Iterator[CheckResult]:
    """Look for what reads pages that are pictures, if they are read."""
    language = ocr_language(settings)
    if language is None:
        yield ok("OCR", "off: pages that are pictures are named, and not read")
    else:
        yield ok("OCR", f"tesseract, {language.code}, with the data in {language.tessdata}")


def check_reader(settings: Settings) -> Iterator[CheckResult]:
    """Say who decides what is refused; a damaged reader is a problem."""
    choice = reader_choice(settings)
    if choice is None:
        yield ok("Reader", "off: cosine and words in common decide what is refused")
        return
    adapter = read_adapter(str(choice.config["path"]))
    try:
        located = locate(BUNDLED + BUNDLED_MODEL, DataFolder(settings.data_dir).models, EMBEDDER)
    except ConfigurationError as error:
        if settings.reader is not None:
            raise
        yield ok("Reader", f"none, so cosine and words in common decide: {error.message}")
    else:
        yield ok("Reader", f"{adapter.name}, on {located.name}; its hash is right")


def check_writer(settings: Settings) -> Iterator[CheckResult]:
    """Say who writes the answers: of a server, and of commands that need to be told."""
    served = _writer(language_model_choice(settings))
    told = _writer(language_model_choice(local_unless_told(settings)))
    if served == told:
        yield ok("Answers", served)
    else:
        yield ok("Answers", f"{served} with `serve`; {told} with other commands, unless --llm")


def check_downloads(settings: Settings) -> Iterator[CheckResult]:
    """Say whether models may be downloaded."""
    from sourcebook.providers.inference import hub  # noqa: PLC0415 - slow to import

    if settings.offline or hub.is_offline():
        variable = "SOURCEBOOK_OFFLINE" if settings.offline else "HF_HUB_OFFLINE"
        yield ok("Downloads", f"off ({variable}): a missing model is an error")
    else:
        yield ok("Downloads", "a missing model is downloaded when a server starts")


def _writer(choice: Choice | None) -> str:
    if choice is None:
        return "quoted from the documents"
    card = chosen_card(Registry(), choice)
    if card.lack is not None:
        raise ConfigurationError(card.lack)
    model = choice.config.get("model")
    return f"written by {choice.provider}" + (f" {model}" if model else "")


def _found(choice: Choice, folder: DataFolder) -> str:
    """Say where a model is; SourcebookError says what is missing."""
    card = chosen_card(Registry(), choice)
    if card.lack is not None:
        raise ConfigurationError(card.lack)
    wanted = local_model(choice)
    if wanted is None:
        return f"at its provider, {choice.provider}"
    located = locate(wanted.path, folder.models, wanted.role, with_code=wanted.with_code)
    return f"{located.name}, on disk"


async def _loaded(settings: Settings, entry: ModelEntry, folder: DataFolder) -> str:
    started_s = time.perf_counter()
    async with open_model(settings, entry, folder) as embedder:
        await embedder.embed_query(SENTENCE)
        seconds = time.perf_counter() - started_s
        return (
            f"{embedder.name}, {embedder.dimensions} dimensions, loaded and used in {seconds:.1f} s"
        )
