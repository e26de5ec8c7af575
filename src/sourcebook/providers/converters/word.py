"""Converts Word documents (DOCX): headings, lists, tables, notes and links, by their styles."""

import io

import mammoth

from sourcebook.core.documents import ConvertedDocument
from sourcebook.providers.converters.archives import open_archive
from sourcebook.providers.converters.html import convert_source

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
r[style-name='Verbatim Char'] => code
r[style-name='HTML Code'] => code
"""


def convert(content: bytes) -> ConvertedDocument:
    """Convert a document. Pictures are dropped, and linked files are never opened."""
    open_archive(content).close()
    result = mammoth.convert_to_html(
        io.BytesIO(content),
        style_map=_STYLES,
        convert_image=mammoth.images.img_element(lambda _: {}),
        external_file_access=False,
    )
    return convert_source(f"<body>{result.value}</body>")
