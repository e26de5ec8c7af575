"""Measures a trained reader on what it has not seen: `python -m training.evaluate …`."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from bench.classification import area
from safetensors.torch import load_file
from torch import nn

from training.mining import Embedder, MinedExample, near
from training.network import PairNetwork, ReaderNetwork, load_base, sentence_scores
from training.pairs import PairTokenizer, Row, TokenizedPassage, padded, read_prepared
from training.shares import clear_sentence
from training.sources import HELD_OUT_CORPORA
from training.teacher import trained_teacher

HITS = 5
QUESTIONS_PER_SET = 1_200
BATCH = 256


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader makes of one passage: its relevance, and the score of each sentence."""

    relevance: float
    answers: tuple[float, ...]


class TrainedReader:
    """Reads pairs with trained weights."""

    def __init__(self, network: PairNetwork, tokenizer: PairTokenizer, device: str) -> None:
        self._network = network.to(device).eval()
        self._network.merge()
        self._tokenizer = tokenizer
        self._device = device

    def read(self, pairs: Sequence[tuple[str, TokenizedPassage]]) -> list[Reading]:
        """A reading for each pair."""
        questions = self._tokenizer.ids([question for question, _ in pairs])
        rows = [
            self._tokenizer.row(ids, passage)
            for ids, (_, passage) in zip(questions, pairs, strict=True)
        ]
        found = read_rows(self._network, rows, self._device, BATCH)
        return [
            Reading(
                round(relevance, 4),
                tuple(round(score, 4) for score in scores if score != float("-inf")),
            )
            for relevance, scores in found
        ]


@torch.inference_mode()
def read_rows(
    network: nn.Module, rows: Sequence[Row], device: str, size: int
) -> list[tuple[float, list[float]]]:
    """The relevance of each row, and the scores of its sentences."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number][0]))
    found: dict[int, tuple[float, list[float]]] = {}
    for start in range(0, len(order), size):
        some = order[start : start + size]
        batch = padded([rows[number] for number in some], device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            relevance, tokens = network(batch.ids, batch.types, batch.mask)
        answers = sentence_scores(tokens, batch.sentences, batch.count)
        found |= dict(
            zip(some, zip(relevance.tolist(), answers.tolist(), strict=True), strict=True)
        )
    return [found[number] for number in range(len(rows))]


def trained_reader(model: Path, weights: Path) -> ReaderNetwork:
    """The reader's network with trained weights."""
    tensors = load_file(weights)
    network = ReaderNetwork(load_base(model), tensors["layers.0.query.down"].shape[0])
    network.load_state_dict({name: one.float() for name, one in tensors.items()}, strict=False)
    return network


def evaluate(
    network: PairNetwork,
    prepared: Path,
    model: Path,
    out: Path,
    clapnq: Path | None,
) -> None:
    """Print the figures, and keep every score."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = PairTokenizer(model)
    reader = TrainedReader(network, tokenizer, device)
    embedder = Embedder(load_base(model), tokenizer, device)
    passages, written = read_prepared(prepared, tokenizer)
    examples = [one for one in written if passages[one["passage"]].corpus in HELD_OUT_CORPORA]
    mined = near(examples, passages, model, device)
    Random(1).shuffle(mined)
    asked = [one for one in mined if one.kind == "question"][:QUESTIONS_PER_SET]
    missed = [one for one in mined if one.kind == "near_miss"][:QUESTIONS_PER_SET]
    _sentence_choice(asked, passages, reader, embedder, tokenizer)
    _relevance(asked, missed, passages, reader)
    rows = _books(asked, missed, passages, reader)
    if clapnq:
        rows += _clapnq(clapnq, reader, embedder, tokenizer)
    rows += _labelled(prepared / "labelled.json", reader, embedder, tokenizer)
    out.mkdir(parents=True, exist_ok=True)
    (out / "scores.json").write_text(json.dumps(rows))


def _sentence_choice(
    asked: Sequence[MinedExample],
    passages: Sequence[TokenizedPassage],
    reader: TrainedReader,
    embedder: Embedder,
    tokenizer: PairTokenizer,
) -> None:
    clear = [(one, number) for one in asked if (number := clear_sentence(one.shares)) is not None]
    readings = reader.read([(one.question, passages[one.passage]) for one, _ in clear])
    right = [
        number == max(range(len(reading.answers)), key=reading.answers.__getitem__)
        for (_, number), reading in zip(clear, readings, strict=True)
        if reading.answers
    ]
    by_cosine = 0
    for one, gold in clear:
        passage = passages[one.passage]
        parts = [
            [
                token
                for token, of in zip(passage.ids, passage.sentences, strict=True)
                if of == number
            ]
            for number in range(passage.count)
        ]
        vectors = embedder.embed([*tokenizer.ids([one.question]), *parts])
        by_cosine += int((vectors[1:] @ vectors[0]).argmax()) == gold
    print(
        f"right sentence, held out by corpus ({len(clear)}): {sum(right) / len(right):.3f};"
        f" cosine {by_cosine / len(clear):.3f}"
    )


def _relevance(
    asked: Sequence[MinedExample],
    missed: Sequence[MinedExample],
    passages: Sequence[TokenizedPassage],
    reader: TrainedReader,
) -> None:
    own = reader.read([(one.question, passages[one.passage]) for one in asked])
    beside = reader.read([(o.question, passages[n]) for o in asked for n in o.beside[:1]])
    near = reader.read([(o.question, passages[n]) for o in asked for n in o.nearest[:1]])
    almost = reader.read([(one.question, passages[one.passage]) for one in missed])
    for name, wrong in (("beside", beside), ("nearest", near), ("near misses", almost)):
        print(
            f"{name} ({len(wrong)}): relevance AUC"
            f" {area(_relevances(own), _relevances(wrong)):.3f},"
            f" answer AUC {area(_best_answers(own), _best_answers(wrong)):.3f}"
        )


def _books(
    asked: Sequence[MinedExample],
    missed: Sequence[MinedExample],
    passages: Sequence[TokenizedPassage],
    reader: TrainedReader,
) -> list[dict]:
    """Questions with what a search finds: with their own passage, and without it."""
    cases = []
    for one in asked:
        if one.rank < HITS:
            found = list(one.nearest[: HITS - 1])
            found.insert(min(one.rank, len(found)), one.passage)
            cases.append(("held out", True, one, found))
        cases.append(("held out", False, one, list(one.nearest[:HITS])))
    cases += [("near miss", False, one, [one.passage, *one.nearest[: HITS - 1]]) for one in missed]
    pairs = [(one.question, passages[number]) for _, _, one, found in cases for number in found]
    readings = iter(reader.read(pairs))
    rows = []
    for name, right, one, found in cases:
        of_found = [next(readings) for _ in found]
        rows.append(_row(name, right, one.question, one.passage, found, of_found))
    for name in ("held out", "near miss"):
        answered = [row for row in rows if row["answered"]]
        unanswered = [row for row in rows if row["set"] == name and not row["answered"]]
        for part in ("relevance", "answer"):
            value = area([row[part] for row in answered], [row[part] for row in unanswered])
            print(f"{name}: {part} of the best of {HITS}, AUC {value:.3f}")
    return rows


def _clapnq(
    folder: Path, reader: TrainedReader, embedder: Embedder, tokenizer: PairTokenizer
) -> list[dict]:
    """ClapNQ's questions, each passage in a pool with all others."""
    lines, questions = [], []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            (passage,) = case["passages"]
            text, spans = "", []
            for sentence in passage["sentences"]:
                spans.append((len(text), len(text) + len(sentence)))
                text += sentence + " "
            answered = bool(case["output"][0]["answer"])
            questions.append((case["input"], len(lines), answered))
            lines.append(
                {"id": len(lines), "text": text, "heading": passage["title"], "sentences": spans}
            )
    passages = tokenizer.passages(lines)
    asked = embedder.embed(tokenizer.ids([question for question, _, _ in questions]))
    top = (asked @ embedder.embed_passages(passages).T).topk(HITS, dim=1)
    pairs = [
        (question, passages[place])
        for (question, _, _), places in zip(questions, top.indices.tolist(), strict=True)
        for place in places
    ]
    readings = iter(reader.read(pairs))
    rows = []
    for number, (question, own, answered) in enumerate(questions):
        found = top.indices[number].tolist()
        of_found = [next(readings) for _ in found]
        row = _row("clapnq", answered, question, own, found, of_found)
        rows.append(row | {"cosines": [round(x, 4) for x in top.values[number].tolist()]})
    _print_areas(rows)
    return rows


def _labelled(
    path: Path, reader: TrainedReader, embedder: Embedder, tokenizer: PairTokenizer
) -> list[dict]:
    """Our own questions, all texts as one book."""
    book = json.loads(path.read_text(encoding="utf-8"))
    passages = tokenizer.passages(book["passages"])
    asked = embedder.embed(tokenizer.ids([one["question"] for one in book["questions"]]))
    top = (asked @ embedder.embed_passages(passages).T).topk(HITS, dim=1)
    pairs = [
        (one["question"], passages[place])
        for one, places in zip(book["questions"], top.indices.tolist(), strict=True)
        for place in places
    ]
    readings = iter(reader.read(pairs))
    rows, right = [], 0
    for number, one in enumerate(book["questions"]):
        found = top.indices[number].tolist()
        of_found = [next(readings) for _ in found]
        answered = one["kind"] == "answered"
        row = _row("labelled", answered, one["question"], -1, found, of_found)
        cosines = [round(x, 4) for x in top.values[number].tolist()]
        rows.append(row | {"cosines": cosines, "kind": one["kind"]})
        best = max(
            (
                (score, place, at)
                for place, r in zip(found, of_found, strict=True)
                for at, score in enumerate(r.answers)
            ),
            default=(0.0, 0, 0),
        )
        right += answered and list(best[1:]) in one["places"]
    answered = [row for row in rows if row["answered"]]
    print(f"labelled: right sentence {right} of {len(answered)}")
    for kind in ("near_miss", "unanswered"):
        wrong = [row for row in rows if row["kind"] == kind]
        for part in ("relevance", "answer"):
            value = area([row[part] for row in answered], [row[part] for row in wrong])
            print(f"labelled, {kind}: {part}, AUC {value:.3f}")
        value = area([row["cosines"][0] for row in answered], [row["cosines"][0] for row in wrong])
        print(f"labelled, {kind}: cosine, AUC {value:.3f}")
    return rows


def _print_areas(rows: Sequence[dict]) -> None:
    for part in ("relevance", "answer"):
        right = [row[part] for row in rows if row["answered"]]
        wrong = [row[part] for row in rows if not row["answered"]]
        print(f"ClapNQ ({len(rows)}): {part}, AUC {area(right, wrong):.3f}")


def _row(  # noqa: PLR0917 - a row has as many columns
    name: str,
    answered: bool,
    question: str,
    own: int,
    found: Sequence[int],
    readings: Sequence[Reading],
) -> dict:
    return {
        "set": name,
        "answered": answered,
        "question": question,
        "own": own,
        "found": list(found),
        "relevance": max(one.relevance for one in readings),
        "answer": max(max(one.answers, default=-20.0) for one in readings),
        "relevances": [one.relevance for one in readings],
        "answers": [list(one.answers) for one in readings],
    }


def _relevances(readings: Sequence[Reading]) -> list[float]:
    return [one.relevance for one in readings]


def _best_answers(readings: Sequence[Reading]) -> list[float]:
    return [max(one.answers, default=-20.0) for one in readings]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("prepared", "model", "weights", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--clapnq", type=Path)
    parser.add_argument("--teacher", type=Path, help="the weights are those of a teacher from here")
    arguments = parser.parse_args()
    if arguments.teacher:
        trained = trained_teacher(arguments.teacher, arguments.model, arguments.weights)
    else:
        trained = trained_reader(arguments.model, arguments.weights)
    evaluate(trained, arguments.prepared, arguments.model, arguments.out, arguments.clapnq)
