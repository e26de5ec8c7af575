"""Finds every regular expression of the package, how it is called, and texts that may slow it."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as codes
from re import _parser as parser
from typing import Any, TypeAlias

import sourcebook

# How a pattern is called that goes by another name: handed on, or out of a tuple.
DEFAULT_METHODS = ("match", "finditer")
HANDED_ON = {"_EXPORT": ("match",), "_EXPORT_IN_MDX": ("match",)}
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")
# Made for the tests of others.
LEFT_OUT = ("sourcebook.testing", "sourcebook.samples")
# What the parser of the standard library gives: an operation, and whatever belongs to it.
Nodes: TypeAlias = list[tuple[object, Any]]
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_MANY = 20
_CALL = re.compile(rf"\n[ \t]+.*\bre\.(?:compile|{'|'.join(METHODS)})\(")


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled pattern, the module and name that hold it, and the methods it is called by."""

    name: str
    pattern: re.Pattern[str]
    methods: tuple[str, ...]


@cache
def sources() -> dict[str, str]:
    """The source of every module of the package, by the module's name."""
    root = Path(sourcebook.__path__[0])
    found = {}
    for module in pkgutil.walk_packages([str(root)], "sourcebook."):
        if not module.name.startswith(LEFT_OUT) and "migrations" not in module.name:
            file = root.joinpath(*module.name.split(".")[1:])
            path = file / "__init__.py" if module.ispkg else file.with_suffix(".py")
            found[module.name] = path.read_text()
    return found


def expressions() -> list[Expression]:
    """Every pattern that a module holds, of text; alone, in a tuple or in a dictionary."""
    found: dict[int, Expression] = {}
    for name, source in sources().items():
        if "re.compile" not in source:
            continue
        for held, value in vars(importlib.import_module(name)).items():
            for pattern in _patterns_in(value):
                one = Expression(f"{name}.{held}", pattern, _methods_of(name, held))
                found.setdefault(id(pattern), one)
    return list(found.values())


def made_in_functions() -> Iterator[str]:
    """The modules of which a function calls `re` itself: with a pattern that no module holds."""
    for name, source in sources().items():
        if not _CALL.search(source):
            continue
        for function in ast.walk(ast.parse(source)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and any(
                map(_calls_re, ast.walk(function))
            ):
                yield name


def _calls_re(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in {*METHODS, "compile"}
    )


def _patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        yield from _patterns_in(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _patterns_in(one)


def _methods_of(module: str, name: str) -> tuple[str, ...]:
    """The methods that a pattern of this name is called by."""
    where = [sources()[module]] if name.startswith("_") else list(sources().values())
    call = re.compile(rf"\b{name}\.({'|'.join(METHODS)})\(")
    called = {found for source in where for found in call.findall(source)}
    return tuple(sorted(called)) or HANDED_ON.get(name, DEFAULT_METHODS)


def pumps(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """What comes once and what comes again and again, for every repetition inside a pattern."""
    yield from _pumps(list(parser.parse(pattern.pattern, pattern.flags)), "")


def _pumps(nodes: Nodes, before: str) -> Iterator[tuple[str, str]]:
    for operation, argument in nodes:
        if operation in _REPEATS:
            least, most, inside = argument
            text = _example(list(inside))
            if most is codes.MAXREPEAT or most > _MANY:
                yield before, text
            yield from _pumps(list(inside), before)
            before += text * min(least, 3)
            continue
        for inside in _insides(operation, argument):
            yield from _pumps(list(inside), before)
        before += _example([(operation, argument)])


def _insides(operation: object, argument: Any) -> list[Nodes]:
    if operation is codes.SUBPATTERN:
        return [list(argument[3])]
    if operation is codes.BRANCH:
        return [list(one) for one in argument[1]]
    if operation is codes.ATOMIC_GROUP:
        return [list(argument)]
    if operation in {codes.ASSERT, codes.ASSERT_NOT}:
        return [list(argument[1])]
    return []


def _example(nodes: Nodes) -> str:
    """A text that the nodes match, about."""
    return "".join(_one_example(operation, argument) for operation, argument in nodes)


def _one_example(operation: object, argument: Any) -> str:  # noqa: PLR0911
    if operation is codes.LITERAL:
        return chr(argument)
    if operation is codes.NOT_LITERAL:
        return "b" if argument == ord("a") else "a"
    if operation is codes.ANY:
        return "a"
    if operation is codes.IN:
        return _of_class(argument)
    if operation in _REPEATS:
        least, _, inside = argument
        return str(_example(list(inside)) * min(max(least, 1), 3))
    if operation in {codes.ASSERT, codes.ASSERT_NOT}:
        return ""
    insides = _insides(operation, argument)
    return _example(insides[0]) if insides else ""


_CANDIDATES = "a0 \n\t`.,-_#>[](){}<>|*/\\:;!?\"'=~A1é。\r\x00"


def _of_class(items: Nodes) -> str:
    """The first usual character of a class."""
    compiled = re.compile(_class_source(items), re.DOTALL)
    return next((one for one in _CANDIDATES if compiled.fullmatch(one)), "a")


def _class_source(items: Nodes) -> str:
    parts: list[str] = []
    for operation, argument in items:
        if operation is codes.NEGATE:
            parts.insert(0, "^")
        elif operation is codes.LITERAL:
            parts.append(re.escape(chr(argument)))
        elif operation is codes.RANGE:
            first, last = argument
            parts.append(f"{re.escape(chr(first))}-{re.escape(chr(last))}")
        elif operation is codes.CATEGORY:
            parts.append(_CATEGORIES[argument])
    return f"[{''.join(parts)}]"


_CATEGORIES: dict[object, str] = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}
