"""`sourcebook eval judge`: measures the judge with labelled claims, and sets its threshold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.cli.exit_codes import NO
from sourcebook.cli.options import Config, DataDir, settings_from
from sourcebook.cli.terminal import answering_a_question, err, out, strip_controls
from sourcebook.core.claims import NOTHING_PASSES
from sourcebook.core.errors import InvalidInput

if TYPE_CHECKING:
    from sourcebook.evaluation.judging import JudgeReport, LabelledClaim
    from sourcebook.service.config.settings import Settings

Claims = Annotated[
    Path,
    typer.Option(
        metavar="FILE",
        help="JSON lines with `evidence`, `claim` and `true`: at least 100 true and 100 false.",
    ),
]


def judge(claims: Claims, data_dir: DataDir = None, config: Config = None) -> None:
    """Measure the judge, and keep the threshold that at most 1 % of the false claims reach.

    Exit code 1 if there is none, so that nothing passes, 2 for an error.
    """
    import asyncio

    from sourcebook.evaluation.judging import read_claims
    from sourcebook.providers.judges.thresholds import keep_threshold

    with answering_a_question():
        labelled = read_claims(claims)
        settings = settings_from(config, log_level="error", data_dir=data_dir)
        name, report = asyncio.run(_measure(settings, labelled))
        file = keep_threshold(settings.data_dir, name, report.threshold)
    told = f"{report.true_claims} true and {report.false_claims} false claims"
    out.print(f"{strip_controls(name)}: {told}, AUC {report.auc:.3f}")
    out.print(_verdict(report))
    err.print(f"Kept in {file}")
    if settings.judge_threshold is not None:
        err.print(
            f"SOURCEBOOK_JUDGE_THRESHOLD is set: {settings.judge_threshold:g} is used instead"
        )
    if report.threshold == NOTHING_PASSES:
        raise typer.Exit(NO)


async def _measure(
    settings: "Settings", claims: "list[LabelledClaim]"
) -> "tuple[str, JudgeReport]":
    from sourcebook.cli.eval_display import counting
    from sourcebook.evaluation.judging import judge_all, measure
    from sourcebook.service.config.data_folder import DataFolder
    from sourcebook.service.wiring.models import open_judge

    async with open_judge(settings, DataFolder(settings.data_dir)) as opened:
        if opened is None:
            raise InvalidInput(
                "There is no judge: set SOURCEBOOK_JUDGE to openvino:FOLDER_OR_ID, or to"
                " language-model with SOURCEBOOK_JUDGE_MODEL"
            )
        with counting("Judging", len(claims)) as show:
            return opened.name, measure(await judge_all(opened, claims, show), claims)


def _verdict(report: "JudgeReport") -> str:
    if report.threshold == NOTHING_PASSES:
        return (
            "Nothing passes: no threshold lets at least 10 % of the true claims through and at most"
            " 1 % of the false ones"
        )
    passed = f"{report.true_passed} true and {report.false_passed} false claims pass"
    return f"Threshold {report.threshold:.4f}: {passed}"
