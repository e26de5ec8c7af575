"""Writes texts and questions: `python -m training.write PREPARED OUT --language-model FOLDER`.

A language model first learns from those that were written one by one, then writes some thousands of
texts, and questions for them and for passages of the documentations; with `--passages` only
questions for the passages in that file.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import torch

from training.language_model import load_changes, load_tensors, on_device
from training.made_texts import (
    QUESTIONS_OF_EACH,
    Lessons,
    Wanted,
    WriterTokenizer,
    asked_about,
    mixed,
    questions_of,
    questions_told,
    some_questions,
    text_of,
    usual_headings,
    wanted_texts,
)
from training.network import save_trained
from training.prepared import (
    ASIDE_FILE,
    EXAMPLES_FILE,
    PASSAGES_FILE,
    QUESTIONS_FILE,
    TEXTS_FILE,
    read_lines,
    save_lines,
)
from training.spans import spans_of
from training.writer import Writer

SEED = 16
RATE = 2e-4
WARM_UP = 30
TOKENS_PER_STEP = 24_000
# So many texts are written at once, and questions for so many, which are longer to read.
TEXT_ROWS, PASSAGE_ROWS = 2048, 1280
MAX_WRITTEN_TEXT = 330
# Of each question that is wanted and one that is nearly answered.
MAX_WRITTEN_QUESTION = 48
# How much of the time for writing is for texts.
TEXTS_TIME = 0.35
# Far above the numbers of all other passages.
FIRST_ID = 2_000_000


def learn(
    writer: Writer, lessons: Lessons, tokenizer: WriterTokenizer, *, limit_s: float, random: Random
) -> None:
    """Train with a rate that warms up and then falls to nothing at the limit of time."""
    device = writer.words.device
    optimizer = torch.optim.AdamW(writer.parameters(), lr=RATE, weight_decay=0.01)
    started, mean = time.monotonic(), 0.0
    for number, (ids, wanted) in enumerate(_batches(lessons, tokenizer, random)):
        left = 1 - (time.monotonic() - started) / limit_s
        if left <= 0:
            break
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((number + 1) / WARM_UP, left)
        writer.merge()
        loss = writer.loss(ids.to(device), wanted.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(writer.parameters(), 1.0)
        optimizer.step()
        if number % 50 == 0:
            mean = loss.item() if number == 0 else 0.5 * mean + 0.5 * loss.item()
            print(f"step {number}: loss {mean:.3f}, {time.monotonic() - started:.0f} s", flush=True)
    writer.eval()
    writer.merge()


def _batches(
    lessons: Lessons, tokenizer: WriterTokenizer, random: Random
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Rows of similar length, one reading after the other of all lessons."""
    while True:
        rows = sorted(
            (tokenizer.row(one) for one in lessons.drawn(random, tokenizer)),
            key=lambda row: len(row[0]),
        )
        batches, some = [], []
        for row in rows:
            if some and (len(some) + 1) * len(row[0]) > TOKENS_PER_STEP:
                batches.append(some)
                some = []
            some.append(row)
        batches.append(some)
        random.shuffle(batches)
        for batch in batches:
            length = max(len(ids) for ids, _ in batch)
            ids = torch.zeros(len(batch), length, dtype=torch.int64)
            wanted = torch.full((len(batch), length), -1)
            for number, (of_row, after) in enumerate(batch):
                ids[number, : len(of_row)] = torch.tensor(of_row)
                wanted[number, : len(after)] = torch.tensor(after)
            yield ids, wanted


def write_texts(
    writer: Writer, wanted: Sequence[Wanted], tokenizer: WriterTokenizer, until: float
) -> list[dict]:
    """The texts that are wanted, each once, as long as there is time."""
    found: dict[str, dict] = {}
    for start in range(0, len(wanted), TEXT_ROWS):
        some = wanted[start : start + TEXT_ROWS]
        told = [tokenizer.told(one.told) for one in some]
        written = writer.write(told, most=MAX_WRITTEN_TEXT, end=tokenizer.end)
        for one, ids in zip(some, written, strict=True):
            read = text_of(tokenizer.text(ids), whole=len(ids) < MAX_WRITTEN_TEXT)
            if read is not None:
                line = {"corpus": one.corpus, "heading": read[0], "text": read[1]}
                found.setdefault(read[1], line)
        print(f"{len(found)} texts", flush=True)
        if time.monotonic() > until:
            break
    return [
        one
        | {"id": FIRST_ID + number, "document": f"made {number}", "order": 0}
        | {"sentences": spans_of(one["text"])}
        for number, one in enumerate(found.values())
    ]


def write_questions(
    writer: Writer,
    passages: Sequence[dict],
    tokenizer: WriterTokenizer,
    *,
    most: int,
    until: float,
    random: Random,
) -> Iterator[dict]:
    """Questions for passages, with so many tokens at most, as long as there is time."""
    for start in range(0, len(passages), PASSAGE_ROWS):
        # Rows of similar length are read together.
        some = sorted(passages[start : start + PASSAGE_ROWS], key=lambda one: len(one["text"]))
        told = [tokenizer.told(questions_told(one, tokenizer)) for one in some]
        written = writer.write(told, most=most, end=tokenizer.end)
        for passage, ids in zip(some, written, strict=True):
            whole = len(ids) < most
            questions = questions_of(tokenizer.text(ids), whole=whole)
            for question, answered in some_questions(questions, random):
                yield {"passage": passage["id"], "question": question, "answered": answered}
        print(f"{start + len(some)} passages asked about", flush=True)
        if time.monotonic() > until:
            break


def asked_for() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--language-model", type=Path, required=True)
    parser.add_argument("--learned", type=Path, help="the writer of an earlier run, to write more")
    parser.add_argument(
        "--after", type=Path, nargs="+", default=(), help="what was asked about there is left out"
    )
    parser.add_argument("--passages", type=Path, help="ask about these alone, and write no texts")
    parser.add_argument("--seed", type=int, default=SEED, help="another one writes other texts")
    parser.add_argument("--texts", type=int, default=6_000)
    parser.add_argument(
        "--questions", type=int, default=QUESTIONS_OF_EACH, help="so many of each kind"
    )
    parser.add_argument("--learn-s", type=float, default=240)
    parser.add_argument("--write-s", type=float, default=240)
    return parser.parse_args()


def main() -> None:
    """Learn, write, keep what was written."""
    arguments = asked_for()
    random = Random(arguments.seed)
    torch.manual_seed(arguments.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    passages = read_lines(arguments.prepared / PASSAGES_FILE)
    examples = read_lines(arguments.prepared / EXAMPLES_FILE)
    tokenizer = WriterTokenizer(arguments.language_model)
    writer = on_device(Writer(load_tensors(arguments.language_model, device)), device)
    aside = json.loads((arguments.prepared / ASIDE_FILE).read_text(encoding="utf-8"))
    left_out = {one["id"] for one in aside["passages"]}
    given = read_lines(arguments.passages) if arguments.passages else []
    documentation = [] if given else asked_about(passages, left_out, random)
    lessons = Lessons(passages, examples, documentation, arguments.questions)
    if arguments.learned:
        load_changes(writer, arguments.learned)
    else:
        learn(writer, lessons, tokenizer, limit_s=arguments.learn_s, random=random)
        save_trained(writer, arguments.out / "writer.safetensors")
    started = time.monotonic()
    until = started + arguments.write_s
    asked = {one["passage"] for one in examples if one["kind"] == "asked"}
    for folder in arguments.after:
        asked |= {one["passage"] for one in read_lines(folder / QUESTIONS_FILE)}
    if given:
        # What is near those that are asked about is read, too.
        texts, chosen = given, asked_about(given, asked, random)
    else:
        headings = usual_headings(documentation)
        wanted = list(wanted_texts(lessons.genres, headings, arguments.texts, random))
        texts = write_texts(writer, wanted, tokenizer, until - (1 - TEXTS_TIME) * arguments.write_s)
        chosen = mixed(texts, [one for one in documentation if one["id"] not in asked])
    most = MAX_WRITTEN_QUESTION * arguments.questions
    questions = list(
        write_questions(writer, chosen, tokenizer, most=most, until=until, random=random)
    )
    arguments.out.mkdir(parents=True, exist_ok=True)
    save_lines(arguments.out / TEXTS_FILE, texts)
    save_lines(arguments.out / QUESTIONS_FILE, questions)
    seconds = time.monotonic() - started
    print(f"{len(texts)} texts, {len(questions)} questions in {seconds:.0f} s")


if __name__ == "__main__":
    main()
