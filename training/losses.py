"""How wrong the scores of a step are."""

import torch
from torch import Tensor
from torch.nn import functional

from training.network import ReaderNetwork
from training.steps import Step

# What another passage says counts less than what its own lacks: it is easier to tell.
ELSEWHERE_WEIGHT = 0.5


def loss_of(network: ReaderNetwork, step: Step) -> Tensor:
    """Choose the passage and the statement that answer, and say no where none does."""
    relevance, statements = _read(network, step)
    listed = len(step.right) * (1 + step.wrong)
    lists = relevance[:listed].view(-1, 1 + step.wrong)
    best = statements.max(1).values
    elsewhere = best[:listed].view(-1, 1 + step.wrong)[:, 1:]
    chosen = -functional.log_softmax(lists, 1)[:, 0].mean()
    said, right = _statements(statements[: listed : 1 + step.wrong], step.right)
    return (
        chosen
        + functional.softplus(-lists[:, 0]).mean()
        + ELSEWHERE_WEIGHT * functional.softplus(lists[:, 1:]).mean()
        + ELSEWHERE_WEIGHT * _denied(elsewhere)
        + functional.softplus(relevance[listed:]).mean()
        + _denied(best[listed:])
        + said
        + right
    )


def _read(network: ReaderNetwork, step: Step) -> tuple[Tensor, Tensor]:
    """The scores of all rows, in the order in which they were drawn."""
    width = step.right.shape[1]
    relevance, statements = [], []
    for part in step.parts:
        of_rows, of_statements = network(part)
        relevance.append(of_rows)
        missing = width - of_statements.shape[1]
        statements.append(functional.pad(of_statements, (0, missing), value=-torch.inf))
    return torch.cat(relevance)[step.places], torch.cat(statements)[step.places]


def _denied(best: Tensor) -> Tensor:
    """How far the best statements are from a no."""
    return functional.softplus(best[best.isfinite()]).mean()


def _statements(scores: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """How wrong the best right statement's score is, and the choice of it."""
    there = scores.isfinite()
    right = right * there
    known = right.sum(1) > 0
    scores, right, there = scores[known], right[known], there[known]
    chosen = scores.log_softmax(1).masked_fill(~there, 0.0)
    choice = -(right / right.sum(1, keepdim=True) * chosen).sum(1).mean()
    best = scores.masked_fill(right == 0, -torch.inf).max(1).values
    return functional.softplus(-best).mean(), choice
