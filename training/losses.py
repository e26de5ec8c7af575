"""How wrong the scores of a step are: beside what is known of it, and beside a teacher's."""

import torch
from torch import Tensor
from torch.nn import functional

from training.network import PairNetwork, sentence_scores
from training.steps import Scores, Shape, Step

# How sharply the sentences are told apart by what they share with the answer.
SHARE_TEMPERATURE = 0.08
# How much a plain yes or no counts beside the choice from a list.
YES_NO_WEIGHT = 0.5
NEAR_MISS_WEIGHT = 0.3
GROUP_WEIGHT = 0.7
# Of a teacher's scores: how much each counts for itself, beside the choice among them.
EACH_WEIGHT = 3.0


def read_step(network: PairNetwork, step: Step) -> Scores:
    """Read all rows, in the order in which they were drawn."""
    network.merge()
    read = [network(one.ids, one.types, one.mask) for one in step.parts]
    count = max(one.count for one in step.parts)
    answers = [
        sentence_scores(tokens, part.sentences, count)
        for (_, tokens), part in zip(read, step.parts, strict=True)
    ]
    return Scores(torch.cat([one for one, _ in read])[step.places], torch.cat(answers)[step.places])


def loss_of(scores: Scores, step: Step) -> Tensor:
    """How wrong the relevance of the lists and the answers of their sentences are."""
    relevance, answers = scores.relevance, scores.answers
    shape = step.shape
    listed = shape.lists * shape.passages
    lists = relevance[:listed].view(-1, shape.passages)
    choice = -functional.log_softmax(lists, 1)[:, 0].mean()
    yes_no = functional.softplus(-lists[:, 0]).mean() + functional.softplus(lists[:, 1:]).mean()
    grouped = listed + sum(shape.unanswered.values())
    missed = functional.softplus(relevance[listed:grouped]).mean()
    of_lists = answers[:listed].view(len(lists), shape.passages, -1)
    sentence, said = _right_sentences(of_lists[:, 0], step.shares[: shape.lists])
    best = of_lists[:, 1:].max(2).values
    unsaid = functional.softplus(best[best.isfinite()]).mean()
    near = answers[listed:grouped].max(1).values
    unsaid_near = functional.softplus(near[near.isfinite()]).mean()
    return (
        choice
        + YES_NO_WEIGHT * yes_no
        + NEAR_MISS_WEIGHT * (missed + unsaid_near)
        + sentence
        + YES_NO_WEIGHT * (said + unsaid)
        + GROUP_WEIGHT
        * _of_groups(relevance[grouped:], answers[grouped:], step.shares[shape.lists :])
    )


def loss_of_runs(scores: Scores, shares: Tensor) -> Tensor:
    """How wrong a yes or no is where only the first rows are answered, those with shares."""
    return _of_groups(scores.relevance, scores.answers, shares)


def lesson_of(scores: Scores, taught: Scores, shape: Shape | None) -> Tensor:
    """How far the scores are from a teacher's: of each row and sentence, and among each other."""
    width = min(scores.answers.shape[1], taught.answers.shape[1])
    answers, taught_answers = scores.answers[:, :width], taught.answers[:, :width]
    there = answers.isfinite() & taught_answers.isfinite()
    several = there.sum(1) > 1
    among = _divergence(answers[several], taught_answers[several], there[several])
    return (
        (_divergence_of_lists(scores, taught, shape) if shape else 0.0)
        + EACH_WEIGHT * _soft_yes_no(scores.relevance, taught.relevance)
        + among
        + EACH_WEIGHT * _soft_yes_no(answers[there], taught_answers[there])
    )


def _divergence_of_lists(scores: Scores, taught: Scores, shape: Shape) -> Tensor:
    listed = shape.lists * shape.passages
    lists, taught_lists = (
        one.relevance[:listed].view(-1, shape.passages) for one in (scores, taught)
    )
    return _divergence(lists, taught_lists, torch.ones_like(lists, dtype=torch.bool))


def _divergence(scores: Tensor, taught: Tensor, there: Tensor) -> Tensor:
    wanted = taught.masked_fill(~there, -torch.inf).softmax(1)
    chosen = scores.masked_fill(~there, -torch.inf).log_softmax(1).masked_fill(~there, 0.0)
    return -(wanted * chosen).sum(1).mean()


def _soft_yes_no(scores: Tensor, taught: Tensor) -> Tensor:
    return functional.binary_cross_entropy_with_logits(scores, taught.sigmoid())


def _of_groups(relevance: Tensor, answers: Tensor, shares: Tensor) -> Tensor:
    """How wrong a yes or no is about the questions of the same texts; the first are answered."""
    count = len(shares)
    sentence, said = _right_sentences(answers[:count], shares)
    best = answers[count:].max(1).values
    return (
        functional.softplus(-relevance[:count]).mean()
        + functional.softplus(relevance[count:]).mean()
        + sentence
        + said
        + functional.softplus(best[best.isfinite()]).mean()
    )


def _right_sentences(answers: Tensor, shares: Tensor) -> tuple[Tensor, Tensor]:
    """How wrong the choice from the sentences of right passages is, and the best one's score."""
    width = min(answers.shape[1], shares.shape[1])
    answers, shares = answers[:, :width], shares[:, :width]
    there = answers.isfinite()
    clear = (shares.max(1).values > 0) & there.any(1)
    answers, shares, there = answers[clear], shares[clear], there[clear]
    wanted = (shares / SHARE_TEMPERATURE).masked_fill(~there, -torch.inf).softmax(1)
    chosen = answers.log_softmax(1).masked_fill(~there, 0.0)
    sentence = -(wanted * chosen).sum(1).mean()
    best = wanted.argmax(1, keepdim=True)
    return sentence, functional.softplus(-answers.gather(1, best)).mean()
