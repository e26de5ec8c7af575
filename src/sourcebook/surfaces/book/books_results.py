"""Maps books and their files to the schemas of the book contract."""

from sourcebook.core.books import KeptLayout
from sourcebook.core.documents import chunk_count
from sourcebook.core.jobs import IngestJob
from sourcebook.ingestion.book.catalog import FilePage, IndexedBook, IndexedFile
from sourcebook.ingestion.book.uploads import Uploaded
from sourcebook.surfaces.book import books_schemas as schemas
from sourcebook.surfaces.book.ingestion_results import self_test_out
from sourcebook.surfaces.book.ingestion_schemas import FileProblemOut
from sourcebook.surfaces.schema_types import utc_time
from sourcebook.surfaces.use_cases import BookRules


def book_out(book: IndexedBook, rules: BookRules) -> schemas.BookOut:
    return schemas.BookOut(
        book_id=book.id,
        configured=rules.has_source and book.id == rules.book_id,
        files=book.files,
        chunks=book.chunks,
        size_bytes=book.bytes,
        updated_at=utc_time(book.updated_at_s),
        source=None if book.layout is None else book.layout.source,
        layout=None if book.layout is None else _layout_out(book.layout),
        problems=book.problem_count,
        files_unmatched=book.latest_report.files_unmatched,
        other_files=dict(book.latest_report.other_files),
        latest_job=None if book.latest_job is None else _job_out(book.latest_job),
    )


def book_details_out(book: IndexedBook, rules: BookRules) -> schemas.BookDetailsOut:
    warnings = [FileProblemOut(path=one.path, message=one.message) for one in book.problems]
    return schemas.BookDetailsOut(
        **dict(book_out(book, rules)),
        warnings=warnings,
        self_test=None if book.self_test is None else self_test_out(book.self_test.report()),
    )


def files_out(book_id: str, page: FilePage) -> schemas.BookFilesOut:
    return schemas.BookFilesOut(
        book_id=book_id,
        files=[_file_out(file) for file in page.files],
        count=len(page.files),
        total=page.total,
    )


def deleted_out(book: IndexedBook) -> schemas.DeletedBookOut:
    return schemas.DeletedBookOut(
        book_id=book.id, files_deleted=book.files, chunks_deleted=book.chunks
    )


def _layout_out(layout: KeptLayout) -> schemas.LayoutOut:
    return schemas.LayoutOut(
        patterns=list(layout.patterns),
        exclude=list(layout.exclude),
        automatic=layout.automatic,
        chosen_at=utc_time(layout.chosen_at_s),
    )


def _job_out(job: IngestJob) -> schemas.LatestJobOut:
    return schemas.LatestJobOut(
        job_id=job.id,
        status=job.status,
        mode=job.request.mode,
        trigger=job.request.trigger,
        queued_at=utc_time(job.created_at_s),
        completed_at=utc_time(job.finished_at_s),
        error_message=job.error,
    )


def _file_out(file: IndexedFile) -> schemas.BookFileOut:
    header = file.header
    about = {} if header is None else header.metadata
    title, tier = about.get("lesson_title"), about.get("hardware_tier")
    return schemas.BookFileOut(
        path=file.path,
        state="not_indexed" if header is None else "indexed",
        title=title if isinstance(title, str) else None,
        chunks=0 if header is None else chunk_count(about),
        hardware_tier=tier if type(tier) is int else None,
        parent_doc_id=None if header is None else header.id,
        updated_at=None if header is None else utc_time(header.updated_at_s),
        problems=list(file.problems),
    )


def uploaded_out(uploaded: Uploaded) -> schemas.UploadedOut:
    job = uploaded.job
    return schemas.UploadedOut(
        book_id=job.request.book_id,
        files=[
            schemas.StoredFileOut(path=file.path, size_bytes=file.size) for file in uploaded.files
        ],
        job_id=job.id,
        status=job.status,
    )
