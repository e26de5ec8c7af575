"""Declares the judges that run a classifier of pairs on this machine."""

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from sourcebook.core.ports import Judge
from sourcebook.providers.declaration import Provider


class LocalJudgeSettings(BaseModel):
    """Which classifier to run, and how it was trained."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "model"),
        title="Model",
        description="A Hugging Face id or a folder of an NLI or groundedness cross-encoder.",
        json_schema_extra={"placeholder": "lytang/MiniCheck-RoBERTa-Large"},
    )
    label: str | None = Field(
        None,
        description="The label which means that the claim is borne, if it is called neither"
        " entailment nor supported.",
    )
    separators: int | None = Field(
        None,
        ge=1,
        description="How many separators stand between premise and claim, if the model was trained"
        " with fewer than its tokenizer puts there: 1 for MiniCheck-RoBERTa.",
    )


OPENVINO: Provider[LocalJudgeSettings, Judge] = Provider(
    LocalJudgeSettings, "sourcebook.providers.judges.openvino:open_openvino_judge"
)
