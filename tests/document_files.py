"""Makes small documents of every format, byte by byte where no library writes them."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

from pptx import Presentation

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_ODT = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style")
)
PAGE_WIDTH, PAGE_HEIGHT = 612, 792


def pdf(pages: Sequence[Sequence[tuple[int, str]] | bytes], extra: str = "") -> bytes:
    """Return a PDF whose pages have these lines, each with the size of its letters.

    A page that is bytes is a picture: PNG, as pages are drawn.
    """
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    pictures: list[str] = []
    for at, page in enumerate(pages):
        resources, drawn = "/Font << /F1 3 0 R >>", ""
        if isinstance(page, bytes):
            resources = f"/XObject << /I {4 + 2 * len(pages) + len(pictures)} 0 R >>"
            drawn = f"q {PAGE_WIDTH} 0 0 {PAGE_HEIGHT} 0 0 cm /I Do Q\n"
            pictures.append(_picture(page))
        else:
            drawn = _drawn(page)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
            f" /Resources << {resources} >> /Contents {5 + 2 * at} 0 R >>",
            _stream(drawn),
        ]
    return pdf_of([*objects, *pictures], extra)


def _picture(png: bytes) -> str:
    """Return a picture with red, green, blue and opacity as the four inverted inks of PDF."""
    width, height = struct.unpack(">II", png[16:24])
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        data += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    return (
        f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8"
        " /ColorSpace /DeviceCMYK /Decode [1 0 1 0 1 0 1 0]"
        " /Filter [/ASCIIHexDecode /FlateDecode]"
        f" /DecodeParms [null << /Predictor 15 /Colors 4 /Columns {width} >>]"
        f" /Length {2 * len(data)} >>\nstream\n{data.hex()}\nendstream"
    )


def pdf_of(objects: Sequence[str], extra: str = "") -> bytes:
    """Return a PDF of these objects, the first of which is its catalog."""
    content, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R {extra} >>\nstartxref\n{len(content)}"
    return bytes(
        content + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}\n%%EOF".encode()
    )


def _drawn(lines: Sequence[tuple[int, str]]) -> str:
    drawn, y = "", 720.0
    for size, text in lines:
        drawn += f"BT /F1 {size} Tf 72 {y:.1f} Td ({text}) Tj ET\n"
        y -= 1.4 * size
    return drawn


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}endstream"


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a zip file of these parts; the first is stored as it is, as some formats want."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for number, (name, content) in enumerate(parts.items()):
            kind = zipfile.ZIP_STORED if number == 0 else zipfile.ZIP_DEFLATED
            written.writestr(name, content, kind)
    return file.getvalue()


def docx(body: str, *, prolog: str = "", **parts: str) -> bytes:
    """Return a Word document with this body, in Word's own XML."""
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats'
        '-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relationships = (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1"'
        f' Type="{_RELATIONSHIPS}/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    document = f"{prolog}<w:document {_WORD}><w:body>{body}</w:body></w:document>"
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}">'
        f'<w:name w:val="heading {level}"/></w:style>'
        for level in (1, 2, 3)
    )
    return archive(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": relationships,
            "word/document.xml": document,
            "word/styles.xml": f"<w:styles {_WORD}>{styles}</w:styles>",
            **parts,
        }
    )


def word_paragraph(text: str, style: str = "") -> str:
    about = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{about}<w:r><w:t>{text}</w:t></w:r></w:p>"


def epub(chapters: Mapping[str, str], title: str = "A book") -> bytes:
    """Return a book of these chapters, each a body of XHTML."""
    items = "".join(
        f'<item id="c{at}" href="{name}" media-type="application/xhtml+xml"/>'
        for at, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    pages = {
        f"OEBPS/{name}": f"<html><body>{body}</body></html>" for name, body in chapters.items()
    }
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            **pages,
        }
    )


def odt(body: str) -> bytes:
    """Return an OpenDocument text with this body, in its own XML."""
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {_ODT}><office:body><office:text>{body}"
            "</office:text></office:body></office:document-content>",
        }
    )


def pptx(slides: Sequence[tuple[str, str]], notes: str = "") -> bytes:
    """Return slides with a title and a text each; the last has the notes."""
    presentation = Presentation()
    for title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text_frame.text = title
        slide.placeholders[1].text_frame.text = text
        if notes and (title, text) == slides[-1]:
            slide.notes_slide.notes_text_frame.text = notes
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()
