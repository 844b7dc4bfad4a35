"""Questions to whoever runs a command: on a terminal, or answered by an option in a script."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Asks, with the defaults taken unasked if `assume_yes`. Ctrl-C raises click.Abort."""

    assume_yes: bool

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        return sys.stdin.isatty()

    def ask(
        self,
        question: str,
        option: str,
        *,
        default: str | None = None,
        choices: Sequence[str] = (),
        check: Callable[[str], str | None] = lambda _: None,
    ) -> str:
        """Ask until `check` finds no fault.

        Args:
            question: Without a colon.
            option: What answers the question in a script.
            default: What is taken if nothing is typed; None to insist on an answer.
            choices: The only answers; empty for any.
            check: Returns what is wrong with an answer, starting with "must be", or None.
        """
        if default and self.assume_yes:
            return default
        self._require_terminal(option)

        def accept(text: str) -> str:
            fault = check(text)
            if choices and text not in choices:
                fault = f"must be one of {', '.join(choices)}"
            if fault:
                raise click.UsageError(f"This {fault}.")
            return text

        return str(click.prompt(question, default=default, value_proc=accept))

    def ask_secret(self, question: str, option: str) -> str:
        """Ask for a secret, which is not shown; empty answers are asked again."""
        self._require_terminal(option)
        return str(click.prompt(question, hide_input=True))

    def confirm(self, question: str) -> bool:
        """Ask a question whose default is yes."""
        if self.assume_yes:
            return True
        self._require_terminal("--yes")
        return click.confirm(question, default=True)

    def _require_terminal(self, option: str) -> None:
        if not self.can_ask:
            raise click.UsageError(f"{option} is required if there is no terminal to ask on.")
