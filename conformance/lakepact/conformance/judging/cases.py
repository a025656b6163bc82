"""The cases of one judgement."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import replace

from lakepact.conformance.evidence.outcome import Failure, Mutation, StepFailed, Unmet


class Cases:
    """The cases of one judgement: `with case():` judges one; if it raises `Unmet`, the next is
    judged all the same.

    Args:
        evidence: returns the numbers of the exchanges that lead to the one which shows an
            expectation that is not met.
        on_unmet: is called with each expectation that is not met.
        requirements: the requirements that are judged; a step that breaks one of them is a failure.
        blocking: returns the earlier step that explains an expectation which is not met, if one
            does.
    """

    def __init__(
        self,
        evidence: Callable[[Unmet], tuple[int, ...]],
        on_unmet: Callable[[Unmet], None],
        requirements: tuple[str, ...] = (),
        blocking: Callable[[Unmet], StepFailed | None] = lambda _: None,
    ) -> None:
        self._evidence = evidence
        self._on_unmet = on_unmet
        self._requirements = requirements
        self._blocking = blocking
        self.judged = 0
        self.failures: list[Failure] = []
        self.blocked: list[str] = []  #: reasons of cases that a failed step keeps from being judged

    @contextlib.contextmanager
    def __call__(self, mutation: Mutation | None = None) -> Generator[None]:
        """Judge the block as one case.

        Args:
            mutation: the change that makes the request of the case invalid.
        """
        try:
            yield
        except StepFailed as step:
            if step.requirement not in self._requirements:
                self.blocked.append(str(step))
                return
            self._fail(step.unmet, mutation)
        except Unmet as unmet:
            self._on_unmet(unmet)
            cause = self._blocking(unmet)
            if cause is not None and cause.requirement not in self._requirements:
                self.blocked.append(str(cause))
                return
            self._fail(unmet, mutation)
        self.judged += 1

    def _fail(self, unmet: Unmet, mutation: Mutation | None) -> None:
        self.failures.append(
            replace(unmet.failure(self._evidence(unmet)), mutation=mutation or unmet.mutation)
        )
