"""Follow-up questions: retrieval with the topic of the conversation, with less and with more.

Two public sets. MTRAG (its cloud part: questions, rewrites by its authors, judged passages) says
what is found. CAsT 2019 (questions and manual rewrites, no passages) says whether the words that
are carried into a question are those that a person would carry.
"""

import asyncio
import json
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from bench.bundled_model import open_bundled_model
from bench.run import Run
from bench.table import Goal, Row
from bench.texts import DATA_VARIABLE
from sourcebook.core.answers import Turn
from sourcebook.core.vectors import Vector
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder
from sourcebook.providers.inference.weights import FloatArray
from sourcebook.search.follow_ups import content_words, contextualized_topic, read_question
from sourcebook.search.query_text import choose_query_text

MTRAG = Path("conversational") / "mtrag_cloud"
CAST = Path("conversational") / "cast2019"
ALONE = "the last question alone"
MEASURES = ("R@5", "nDCG@5", "nDCG@10")
BATCH_SIZE = 64
BOOTSTRAP_SAMPLES = 5000
Places: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]
Names: TypeAlias = np.ndarray[tuple[int], np.dtype[np.str_]]
Owners: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int_]]
_TURN = re.compile(r"(?:^|\n)\|user\|: ?")


def measure(run: Run) -> list[Row]:
    """What is found on first turns and on follow-ups, and which words are carried."""
    folder = os.environ.get(DATA_VARIABLE)
    if folder is None or not (Path(folder) / MTRAG).exists():
        print(f"follow_up needs {MTRAG} and {CAST} below {DATA_VARIABLE}")
        return []
    return [*_found(Path(folder) / MTRAG, run), *_carried(Path(folder) / CAST)]


def asked(earlier: Sequence[str], message: str) -> str:
    """The text that the service searches with."""
    topic = contextualized_topic([Turn(question, "") for question in earlier], message)
    return choose_query_text(message, topic, topic).text


def _found(folder: Path, run: Run) -> list[Row]:
    turns = _turns(folder / "cloud_questions.jsonl")
    judged = _judged(folder / "qrels_dev.tsv")
    rewrites = {key: texts[-1] for key, texts in _turns(folder / "cloud_rewrite.jsonl").items()}
    passages = _passages(folder / "corpus_pooled.jsonl", judged, run)
    forms = {
        ALONE: [texts[-1] for texts in turns.values()],
        "all questions": [" ".join(texts) for texts in turns.values()],
        "the authors' rewrite": [rewrites[key] for key in turns],
        "topic": [asked(texts[:-1], texts[-1]) for texts in turns.values()],
    }
    scores = asyncio.run(_scores(passages, forms, [judged[key] for key in turns]))
    first = np.array([len(texts) == 1 for texts in turns.values()])
    return [
        *_first_turns(scores, first),
        *_follow_ups(scores, ~first, [key.split("<")[0] for key in turns]),
    ]


def _first_turns(scores: dict[str, FloatArray], chosen: Places) -> list[Row]:
    """Nothing was said before, so nothing may differ."""
    ours, theirs = scores["topic"][chosen], scores[ALONE][chosen]
    what = f"{len(ours)} first turns: greatest difference from {ALONE}, {', '.join(MEASURES)}"
    return [Row(what, [float(np.abs(ours - theirs).max())], Goal("<=", 0, ""), "")]


def _follow_ups(
    scores: dict[str, FloatArray], chosen: Places, conversations: Sequence[str]
) -> list[Row]:
    """Mean differences with their intervals; better only if the whole interval is above zero."""
    rows = []
    names = np.array(conversations)[chosen]
    ours = scores["topic"][chosen]
    for form in (ALONE, "all questions", "the authors' rewrite"):
        theirs = scores[form][chosen]
        for place, measured in enumerate(MEASURES):
            gained = ours[:, place] - theirs[:, place]
            low, high = _interval(gained, names)
            shown = f"{ours[:, place].mean():.3f}", f"{theirs[:, place].mean():.3f}"
            what = f"{measured}, {len(ours)} follow-ups: topic less {form}"
            bounds = [low, float(gained.mean()), high]
            rows.append(Row(f"{what}, mean and 95 % interval", bounds, None, "", *shown))
            if form == ALONE:
                rows.append(Row(f"{what}, lower end", [low], Goal(">=", 0, ""), "", *shown))
    return rows


def _interval(gained: FloatArray, conversations: Names) -> tuple[float, float]:
    """Paired, and whole conversations at a time: their turns are not independent."""
    groups = [gained[conversations == name] for name in np.unique(conversations)]
    choose = np.random.default_rng(1)
    drawn = choose.integers(0, len(groups), (BOOTSTRAP_SAMPLES, len(groups)))
    means = [np.concatenate([groups[place] for place in places]).mean() for places in drawn]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


async def _scores(
    passages: dict[str, str], forms: dict[str, list[str]], judged: list[set[str]]
) -> dict[str, FloatArray]:
    names = list(passages)
    async with open_bundled_model() as embedder:
        vectors, owners = await _embedded(embedder, list(passages.values()))
        found = {}
        for form, questions in forms.items():
            asked_for = np.array([await embedder.embed_query(text) for text in questions])
            best = np.full((len(names), len(questions)), -1.0)
            np.maximum.at(best, owners, vectors @ asked_for.T)
            ranked = np.argsort(-best, axis=0, kind="stable")[:10].T
            found[form] = np.array(
                [
                    _measured([names[place] for place in row], wanted)
                    for row, wanted in zip(ranked, judged, strict=True)
                ]
            )
    return found


async def _embedded(embedder: OpenVinoEmbedder, texts: list[str]) -> tuple[FloatArray, Owners]:
    vectors: list[Vector] = []
    owners: list[int] = []
    for start in range(0, len(texts), BATCH_SIZE):
        several = await embedder.embed_documents(texts[start : start + BATCH_SIZE])
        for place, embedding in enumerate(several, start):
            vectors += embedding
            owners += [place] * len(embedding)
    return np.array(vectors, dtype=np.float32), np.array(owners)


def _measured(ranked: list[str], wanted: set[str]) -> tuple[float, float, float]:
    recall = len(wanted & set(ranked[:5])) / len(wanted)
    return recall, _ndcg(ranked[:5], wanted), _ndcg(ranked, wanted)


def _ndcg(ranked: list[str], wanted: set[str]) -> float:
    gains = [1 / np.log2(place + 2) for place in range(len(ranked))]
    got = sum(gain for gain, name in zip(gains, ranked, strict=True) if name in wanted)
    return float(got / sum(gains[: len(wanted)]))


def _carried(folder: Path) -> list[Row]:
    right = ours = wanted = dragged = alone = 0
    for earlier, message, rewrite in _cast_turns(folder):
        own = _keys(message)
        taken, given = _keys(asked(earlier, message)) - own, _keys(rewrite) - own
        right, ours, wanted = right + len(taken & given), ours + len(taken), wanted + len(given)
        alone += not given
        dragged += bool(taken) and not given
    return [
        Row(f"CAsT: of {ours} words carried, those in the rewrite", [right / ours], unit=""),
        Row(f"CAsT: of {wanted} words to carry, those carried", [right / wanted], unit=""),
        Row(f"CAsT: of {alone} that stand alone, burdened", [dragged / alone], unit=""),
    ]


def _cast_turns(folder: Path) -> list[tuple[list[str], str, str]]:
    lines = (folder / "evaluation_topics_annotated_resolved_v1.0.tsv").read_text("utf-8")
    rewrites = dict(line.split("\t") for line in lines.splitlines())
    found = []
    for topic in json.loads((folder / "evaluation_topics_v1.0.json").read_text("utf-8")):
        said = [turn["raw_utterance"] for turn in topic["turn"]]
        for place in range(1, len(said)):
            rewrite = rewrites.get(f"{topic['number']}_{place + 1}")
            if rewrite is not None:
                found.append((said[:place], said[place], rewrite))
    return found


def _keys(text: str) -> set[str]:
    """Content words, of one number."""
    return {word.key.removesuffix("s") for word in content_words(read_question(text))}


def _turns(path: Path) -> dict[str, list[str]]:
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {
        line["_id"]: [turn.strip() for turn in _TURN.split(line["text"]) if turn.strip()]
        for line in lines
    }


def _judged(path: Path) -> dict[str, set[str]]:
    judged: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text("utf-8").splitlines()[1:]:
        question, passage, _ = line.split("\t")
        judged[question].add(passage)
    return judged


def _passages(path: Path, judged: dict[str, set[str]], run: Run) -> dict[str, str]:
    """All that are not blank; in a quick run the judged ones only."""
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    known = {line["_id"]: line["text"] for line in lines if line["text"].strip()}
    wanted = set().union(*judged.values())
    return {name: text for name, text in known.items() if not run.quick or name in wanted}
