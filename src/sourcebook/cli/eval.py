"""`sourcebook eval`: measures search, answers and judges, and records questions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from sourcebook.cli.eval_judge import judge
from sourcebook.cli.eval_options import (
    CollectionName,
    Configuration,
    Documents,
    Place,
    SearchMode,
    Url,
    open_targets,
    parse_against,
)
from sourcebook.cli.eval_record import record
from sourcebook.cli.exit_codes import NO
from sourcebook.cli.options import (
    BookId,
    Config,
    DataDir,
    EmbeddingsConfig,
    Llm,
    settings_from,
)
from sourcebook.cli.terminal import answering_a_question, err
from sourcebook.core.errors import InvalidInput

if TYPE_CHECKING:
    from typer._click.core import Context

    from sourcebook.evaluation.questions import QuestionSet
    from sourcebook.evaluation.report import Report
    from sourcebook.service.config.settings import Settings

RUN = "run"
Questions = Annotated[
    Path,
    typer.Argument(
        help="A file of JSON lines, a BEIR folder, or a file of queries with --qrels.",
        show_default=False,
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="OTHER",
        help="Compare with another configuration: mode=dense, collection=NAME, a URL, or a data"
        " folder.",
    ),
]
Qrels = Annotated[
    Path | None, typer.Option(help="The judgements of a file of queries (BEIR, MTRAG).")
]
Split = Annotated[str, typer.Option(help="Which judgements of a BEIR folder.")]
Fields = Annotated[
    str | None,
    typer.Option(
        help="What the fields of another file are called: question=prompt,relevant=source."
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first so many questions.")]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC=NUMBER",
        help="Exit code 1 if a metric is lower: ndcg=0.8. Can be repeated.",
    ),
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write all results here as JSON.")
]
HtmlFile = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="Write one page with plots, misses and wrong answers."
    ),
]


class _RunByDefault(TyperGroup):
    """Takes `eval QUESTIONS` for `eval run QUESTIONS`."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        known = {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, [RUN, *args] if args and args[0] not in known else args)


app = typer.Typer(
    cls=_RunByDefault,
    no_args_is_help=True,
    help="Measure search and answers with a question set. `eval QUESTIONS` means `eval run`.",
)


@app.command(RUN)
def run(
    questions: Questions,
    url: Url = None,
    data_dir: DataDir = None,
    documents: Documents = None,
    book: BookId = None,
    collection: CollectionName = None,
    mode: SearchMode = None,
    against: Against = None,
    qrels: Qrels = None,
    split: Split = "test",
    fields: Fields = None,
    limit: Limit = None,
    fail_under: FailUnder = None,
    json_file: JsonFile = None,
    html_file: HtmlFile = None,
    embeddings_config: EmbeddingsConfig = None,
    llm: Llm = None,
    config: Config = None,
) -> None:
    """Measure a question set. Exit code 1 if a metric is below --fail-under, 2 for an error."""
    import asyncio

    from sourcebook.cli.eval_display import show_report, show_shortfalls
    from sourcebook.evaluation.metrics import require_extra
    from sourcebook.evaluation.question_files import parse_fields, read_questions
    from sourcebook.evaluation.report import parse_threshold

    with answering_a_question():
        require_extra()
        thresholds = [parse_threshold(one) for one in fail_under or ()]
        _check_folders(json_file, html_file)
        base = Configuration(Place(url, data_dir, documents), book, collection, mode)
        wanted = [base] if against is None else [base, parse_against(against, base)]
        mapping = parse_fields(fields)
        asked = read_questions(questions, qrels=qrels, split=split, fields=mapping).first(limit)
        settings = settings_from(
            config,
            log_level="error",
            data_dir=data_dir,
            embeddings_config=embeddings_config,
            llm=llm,
        )
        report = asyncio.run(
            _measure(settings, asked, wanted, embeddings_config=embeddings_config, llm=llm)
        )
        show_report(report)
        _write(report, json_file, html_file)
        falls_short = show_shortfalls(report, thresholds)
    if falls_short:
        raise typer.Exit(NO)


app.command()(record)
app.command()(judge)


async def _measure(
    settings: "Settings",
    asked: "QuestionSet",
    wanted: Sequence[Configuration],
    *,
    embeddings_config: Path | None,
    llm: str | None,
) -> "Report":
    from sourcebook.cli.eval_display import counting
    from sourcebook.evaluation.report import Report, compare, summarise
    from sourcebook.evaluation.runs import ask_all

    opening = open_targets(settings, wanted, embeddings_config=embeddings_config, llm=llm)
    async with opening as targets:
        with counting("Asking", len(asked.questions)) as show:
            outcomes = await ask_all(targets, asked.questions, show)
    sides = [summarise(one.label, found) for one, found in zip(wanted, outcomes, strict=True)]
    if len(sides) == 1:
        return Report(asked.name, sides[0])
    return Report(asked.name, sides[0], sides[1], compare(*sides))


def _check_folders(*files: Path | None) -> None:
    """Refuse a file that cannot be written before anything is measured."""
    for file in files:
        if file is not None and file.is_dir():
            raise InvalidInput(f"{str(file)!r} cannot be written: it is a folder")
        if file is not None and not file.parent.is_dir():
            raise InvalidInput(f"{str(file)!r} cannot be written: there is no such folder")


def _write(report: "Report", json_file: Path | None, html_file: Path | None) -> None:
    import json

    from sourcebook.evaluation.html_report import html_report
    from sourcebook.evaluation.report import report_json

    if json_file is not None:
        text = json.dumps(report_json(report), ensure_ascii=False, indent=2)
        _write_file(json_file, text + "\n")
    if html_file is not None:
        _write_file(html_file, html_report(report))


def _write_file(file: Path, text: str) -> None:
    try:
        # Texts of documents may hold halves of characters that UTF-8 cannot.
        file.write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise InvalidInput(f"{str(file)!r} cannot be written: {error.strerror}") from None
    err.print(f"Written to {file}")
