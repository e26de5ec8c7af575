"""`sourcebook eval record`: keeps questions whose hits a person marks right or wrong."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sourcebook.cli.eval_options import (
    CollectionName,
    Configuration,
    Place,
    SearchMode,
    Url,
    open_targets,
)
from sourcebook.cli.exit_codes import NO
from sourcebook.cli.options import BookId, Config, DataDir, EmbeddingsConfig, settings_from
from sourcebook.cli.terminal import answering_a_question, counted, err, out, strip_controls
from sourcebook.core.errors import InvalidInput

if TYPE_CHECKING:
    from sourcebook.core.feedback import Mark
    from sourcebook.evaluation.runs import FoundHit, Target
    from sourcebook.service.config.settings import Settings

SHOWN_HITS = 5
SHOWN_CHARACTERS = 240
MAX_THINKING_S = 24 * 3600.0
MARKS = (
    "y if the first is right, numbers such as 2 or 1,3 for the right ones, n if none is,"
    " u if the documents have no answer"
)


def record(
    file: Annotated[
        Path,
        typer.Argument(help="The question set to add to, such as questions.jsonl."),
    ],
    question: Annotated[
        str | None,
        typer.Argument(help="What to ask; without it, you are asked for questions one by one."),
    ] = None,
    mark: Annotated[str | None, typer.Option(help=f"The verdict: {MARKS}.")] = None,
    from_marks: Annotated[
        bool, typer.Option("--from-marks", help="Keep what readers marked in the reading room.")
    ] = False,
    url: Url = None,
    data_dir: DataDir = None,
    book: BookId = None,
    collection: CollectionName = None,
    mode: SearchMode = None,
    embeddings_config: EmbeddingsConfig = None,
    config: Config = None,
) -> None:
    """Search, mark the hits, and keep the question. Exit code 1 if none was kept."""
    import asyncio

    with answering_a_question():
        if mark is not None and question is None:
            raise InvalidInput("--mark needs the question that it is for")
        if from_marks and (question is not None or mark is not None):
            raise InvalidInput("--from-marks takes the questions of readers: leave out your own")
        configuration = Configuration(Place(url, data_dir), book, collection, mode)
        settings = settings_from(
            config, log_level="error", data_dir=data_dir, embeddings_config=embeddings_config
        )
        recorder = Recorder(file)
        if from_marks:
            kept = asyncio.run(_record_marks(settings, configuration.place, recorder))
        else:
            kept = asyncio.run(_record(settings, configuration, recorder, question, mark))
        err.print(f"Kept {counted(kept, 'question')} in {file}")
    if not kept:
        raise typer.Exit(NO)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person said: the ids that were right, or wrong, and whether there is an answer."""

    relevant: Mapping[str, int]
    answerable: bool | None = None


class Recorder:
    """Adds questions to a file, one line at a time."""

    def __init__(self, file: Path) -> None:
        from sourcebook.evaluation.question_files import read_questions

        self._file = file
        has_questions = file.exists() and file.stat().st_size > 0
        known = read_questions(file).questions if has_questions else ()
        self._known = {one.text for one in known}

    def check_new(self, question: str) -> None:
        """Raise InvalidInput if the question is kept already: it would count twice."""
        if self.knows(question):
            raise InvalidInput(
                f"The question {question.strip()!r} is in {str(self._file)!r} already"
            )

    def knows(self, question: str) -> bool:
        return question.strip() in self._known

    def keep(self, question: str, verdict: Verdict) -> None:
        """Write the question down at once."""
        line: dict[str, object] = {"id": f"q{len(self._known) + 1}", "question": question.strip()}
        grades = verdict.relevant
        line["relevant"] = list(grades) if all(grades.values()) else dict(grades)
        if verdict.answerable is not None:
            line["answerable"] = verdict.answerable
        text = json.dumps(line, ensure_ascii=False) + "\n"
        try:
            with self._file.open("ab+") as file:
                if file.tell() and not _ends_with_newline(self._file):
                    text = "\n" + text
                file.write(text.encode())
        except OSError as error:
            raise InvalidInput(f"{str(self._file)!r} cannot be written: {error.strerror}") from None
        self._known.add(question.strip())


def parse_mark(mark: str, hits: "Sequence[FoundHit]") -> Verdict:
    """Return the verdict on the shown hits; InvalidInput if the mark is none of the known ones."""
    said = mark.strip().lower()
    if said == "u":
        return Verdict({}, answerable=False)
    if said == "n":
        return Verdict({hit.names[-1]: 0 for hit in hits})
    numbers = ["1"] if said == "y" else said.replace(",", " ").split()
    if not numbers or not all(one.isdecimal() and 1 <= int(one) <= len(hits) for one in numbers):
        raise InvalidInput(f"The mark {mark!r} cannot be used: {MARKS} (there are {len(hits)})")
    return Verdict({hits[int(one) - 1].names[-1]: 1 for one in numbers})


async def _record(
    settings: "Settings",
    configuration: Configuration,
    recorder: Recorder,
    question: str | None,
    mark: str | None,
) -> int:
    async with open_targets(settings, [configuration]) as (target,):
        if question is None:
            return await record_questions(target, recorder)
        recorder.check_new(question)
        return await _mark_one(target, recorder, question, mark)


async def _record_marks(settings: "Settings", place: Place, recorder: Recorder) -> int:
    """Keep the questions that readers marked and that are new; return how many."""
    from sourcebook.answering.feedback import MAX_MARKS
    from sourcebook.cli.eval_options import open_service
    from sourcebook.cli.service_client import ServiceClient
    from sourcebook.core.feedback import Mark
    from sourcebook.surfaces.chat.feedback_schemas import MarksOut

    async with open_service(settings, place) as http:
        asked = {"limit": str(MAX_MARKS)}
        service = ServiceClient(http)
        reply = await service.request("GET", "/feedback/marks", MarksOut, params=asked)
    marks = [
        Mark(
            id=one.id,
            question=one.question,
            about=one.about,
            verdict=one.verdict,
            marked_at_s=one.marked_at.timestamp(),
            reason=one.reason,
            sources=tuple(one.sources),
        )
        for one in reply.marks
    ]
    if not marks:
        err.print("Readers have marked nothing yet; SOURCEBOOK_MARKS=true lets them")
    return keep_marked(marks, recorder)


def keep_marked(marks: "Iterable[Mark]", recorder: Recorder) -> int:
    """Keep what the marks say of each new question; return of how many."""
    from sourcebook.evaluation.marks import judged_by

    kept = 0
    for judged in judged_by(marks):
        if not recorder.knows(judged.text):
            recorder.keep(judged.text, Verdict(judged.relevant, judged.answerable))
            out.print(Text(strip_controls(judged.text)))
            kept += 1
    return kept


async def record_questions(target: "Target", recorder: Recorder) -> int:
    """Ask for questions and for what is right, until there is no more; return how many are kept."""
    kept = 0
    while asked := await _prompt("Question (empty to stop)"):
        try:
            recorder.check_new(asked)
            kept += await _mark_one(target, recorder, asked, None)
        except InvalidInput as error:
            err.print(error.message)
    return kept


async def _mark_one(target: "Target", recorder: Recorder, question: str, mark: str | None) -> int:
    from sourcebook.evaluation.questions import JudgedQuestion

    found = await target.search(JudgedQuestion("recorded", question))
    hits = found[:SHOWN_HITS]
    show_hits(hits)
    verdict = parse_mark(mark, hits) if mark is not None else await _ask_for_mark(hits)
    if verdict is None:
        return 0
    recorder.keep(question, verdict)
    return 1


def show_hits(hits: "Sequence[FoundHit]") -> None:
    """Print the hits with the numbers to mark them by."""
    for number, hit in enumerate(hits, 1):
        out.print(Text.assemble((f"{number}  ", "dim"), (strip_controls(hit.title), "bold")))
        out.print(Text(f"   {strip_controls(hit.names[-1])}", style="green"))
        out.print(f"   {strip_controls(hit.text)[:SHOWN_CHARACTERS]}")
    if not hits:
        out.print("Nothing was found")


async def _ask_for_mark(hits: "Sequence[FoundHit]") -> Verdict | None:
    """Ask until the mark can be used; None if the question is not to be kept."""
    while said := await _prompt("Which are right? y, n, u, numbers; empty to skip"):
        try:
            return parse_mark(said, hits)
        except InvalidInput as error:
            err.print(error.message)
    return None


async def _prompt(what: str) -> str:
    """Return the line that is typed; "" at the end of the input."""
    from sourcebook.providers.daemon_thread import in_daemon_thread

    def ask() -> str:
        try:
            return str(typer.prompt(what, default="", show_default=False, err=True)).strip()
        except typer.Abort:
            return ""

    # Not in the event loop, where Ctrl+C could not end it.
    return await in_daemon_thread(ask, MAX_THINKING_S)


def _ends_with_newline(file: Path) -> bool:
    return file.read_bytes()[-1:] == b"\n"
