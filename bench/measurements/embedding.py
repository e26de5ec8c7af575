"""Bulk embedding: chunks of 100 to 500 tokens, compared with sentence-transformers in f32.

The model reads 256 tokens at once. Sourcebook embeds a longer chunk in windows; the peer cuts it
off. So the peer is given the same windows as texts of their own, and the vectors are compared
window by window; a row without a goal shows it with whole chunks, of which it reads less.
"""

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from bench.bundled_model import bundled_model, open_bundled_model
from bench.machine import has_amx
from bench.peer_process import Peer, peer
from bench.run import ROUNDS, Run
from bench.table import Goal, Row, each, ratios
from bench.texts import pieces, read_texts
from sourcebook.providers.embedders.openvino import OpenVinoEmbedder
from sourcebook.providers.inference.openvino_runtime import Precision
from sourcebook.providers.inference.weights import FloatArray

TOP = 5
QUESTIONS = 300


def measure(run: Run) -> list[Row]:
    """Speed and agreement, in f32 and, where the CPU has matrix units, in bf16."""
    with peer("embedder.py", str(bundled_model().folder)) as peer_:
        rows = asyncio.run(_beside(peer_, run, "f32", 1.15))
        if has_amx():
            rows += asyncio.run(_beside(peer_, run, "bf16", 3))
    return rows


async def _beside(peer_: Peer, run: Run, precision: Precision, goal: float) -> list[Row]:
    amount = run.amount(96, 24)
    texts = read_texts(amount * ROUNDS, QUESTIONS)
    async with open_bundled_model(precision) as ours:
        await ours.embed_documents(texts.chunks[:16])
        peer_.ask(do="embed", texts=texts.chunks[:16])
        ours_s, theirs_s, cut_s = [], [], []
        for number in range(ROUNDS):
            chunks = texts.chunks[number * amount : (number + 1) * amount]
            ours_s.append(await _seconds(ours, chunks))
            theirs_s.append(peer_.ask(do="embed", texts=pieces(chunks))["seconds"])
            cut_s.append(peer_.ask(do="embed", texts=chunks)["seconds"])
        agreement = await _agreement(ours, peer_, pieces(texts.chunks), texts.questions, precision)
    shown = each([amount / s for s in ours_s], "chunks/s")
    return [
        Row(
            f"bulk embedding, {precision}, the same windows",
            ratios(theirs_s, ours_s),
            Goal(">=", goal),
            ours=shown,
            theirs=each([amount / s for s in theirs_s], "chunks/s"),
        ),
        Row(
            f"bulk embedding, {precision}, the peer cuts long chunks off",
            ratios(cut_s, ours_s),
            ours=shown,
            theirs=each([amount / s for s in cut_s], "chunks/s"),
        ),
        *agreement,
    ]


async def _seconds(embedder: OpenVinoEmbedder, texts: Sequence[str]) -> float:
    started_s = time.perf_counter()
    await embedder.embed_documents(texts)
    return time.perf_counter() - started_s


async def _agreement(
    embedder: OpenVinoEmbedder,
    peer_: Peer,
    windows: list[str],
    questions: list[str],
    precision: Precision,
) -> list[Row]:
    ours = np.array([vectors[0] for vectors in await embedder.embed_documents(windows)])
    asked = np.array([await embedder.embed_query(question) for question in questions])
    theirs = np.array(peer_.ask(do="embed", texts=windows, vectors=True)["vectors"])
    asked_there = np.array(peer_.ask(do="embed", texts=questions, vectors=True)["vectors"])
    cosines = np.sum(ours * theirs, axis=1)
    overlap = [
        len(one & other) / TOP
        for one, other in zip(_top(asked, ours), _top(asked_there, theirs), strict=True)
    ]
    agree = f"agreement with the peer, {precision}: "
    of = f"{len(windows)} windows"
    return [
        Row(f"{agree}mean cosine", [float(cosines.mean())], Goal(">=", 0.9999, ""), "", of),
        Row(f"{agree}least cosine", [float(cosines.min())], Goal(">=", 0.9999, ""), "", of),
        Row(f"{agree}top-{TOP} overlap", [float(np.mean(overlap))], Goal(">=", 0.99, ""), "", of),
    ]


def _top(questions: FloatArray, windows: FloatArray) -> list[set[int]]:
    return [set(row.tolist()) for row in np.argsort(-(questions @ windows.T), axis=1)[:, :TOP]]
