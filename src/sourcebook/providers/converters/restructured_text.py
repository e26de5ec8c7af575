"""Converts reStructuredText, with the roles and directives of Sphinx that carry text."""

from docutils import nodes
from docutils.core import publish_parts
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.states import Inliner

from sourcebook.core.documents import ConvertedDocument
from sourcebook.core.errors import BookUnreadable
from sourcebook.providers.converters.html import convert_source
from sourcebook.providers.converters.text import decode_text

# Nothing is read from the disk or the network, and no HTML is passed through.
_SETTINGS = {
    "_disable_config": True,
    "embed_stylesheet": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "initial_header_level": 2,
    "input_encoding": "unicode",
    "line_length_limit": 100_000,
    "raw_enabled": False,
    "report_level": 5,
    "syntax_highlight": "none",
}
_CODE_ROLES = "attr class const data envvar exc file func keyword kbd meth mod obj option program"
_TEXT_ROLES = "abbr any doc download guilabel menuselection numref pep ref rfc term token"
_PASSED_ON = "glossary only seealso tab tab-set"
_VERSIONS = "deprecated versionadded versionchanged"
_LEFT_OUT = "automodule autoclass autofunction currentmodule highlight index module toctree"


class _PassedOn(Directive):
    """Reads the content of a directive as text, and leaves out the rest of it."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        return list(box.children)


class _VersionNote(_PassedOn):
    """Reads what stands after a directive as text, too: `versionadded:: 1.2` and a sentence."""

    def run(self) -> list[nodes.Node]:
        note = nodes.paragraph("", " ".join([self.name, *self.arguments]))
        return [note, *super().run()]


class _LeftOut(_PassedOn):
    """Drops a directive."""

    def run(self) -> list[nodes.Node]:
        return []


def convert(content: bytes) -> ConvertedDocument:
    """Convert a document."""
    source, warnings = decode_text(content)
    _register_sphinx()
    try:
        parts = publish_parts(source, writer="html5", settings_overrides=_SETTINGS)
    except (ValueError, AttributeError, AssertionError) as error:
        raise BookUnreadable(f"It cannot be read as reStructuredText: {error}"[:300]) from None
    body = str(parts["html_body"])
    document = convert_source(f"<body>{body}</body>")
    return ConvertedDocument(document.text, document.locations, str(parts["title"]), warnings)


def _register_sphinx() -> None:
    # Types of docutils' stubs: a role may give any nodes.
    for name in _CODE_ROLES.split():
        for domain in ("", "py:", "c:", "cpp:"):
            roles.register_local_role(domain + name, _code_role)  # type: ignore[arg-type]
    for name in _TEXT_ROLES.split():
        roles.register_local_role(name, _text_role)  # type: ignore[arg-type]
    for name in _PASSED_ON.split():
        directives.register_directive(name, _PassedOn)
    for name in _VERSIONS.split():
        directives.register_directive(name, _VersionNote)
    for name in _LEFT_OUT.split():
        directives.register_directive(name, _LeftOut)


def _code_role(
    _: str,
    rawtext: str,
    text: str,
    __: int,
    ___: Inliner,
    options: object = None,
    content: object = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    return [nodes.literal(rawtext, _label(text).lstrip("~!"))], []


def _text_role(
    _: str,
    rawtext: str,
    text: str,
    __: int,
    ___: Inliner,
    options: object = None,
    content: object = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    return [nodes.inline(rawtext, _label(text))], []


def _label(text: str) -> str:
    """Return what a reader sees of `label <target>`."""
    label, bracket, _ = text.partition(" <")
    return label if bracket else text
