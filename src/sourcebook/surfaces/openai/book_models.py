"""Books as models: `sourcebook` for all that may be read, `sourcebook/BOOK` for a book."""

from sourcebook.core.text import shorten
from sourcebook.surfaces.api_keys import Grant
from sourcebook.surfaces.openai.errors import ModelNotFound
from sourcebook.surfaces.openai.schemas import ModelOut
from sourcebook.surfaces.use_cases import UseCases

EVERYTHING = "sourcebook"
PREFIX = f"{EVERYTHING}/"
MAX_LISTED_NAMES = 20


async def list_models(use: UseCases, grant: Grant) -> list[ModelOut]:
    """The models that may be used. `sourcebook` is among them unless a key names its books."""
    books = [book for book in await use.book_catalog.all() if book.files and grant.allows(book.id)]
    models = [
        ModelOut(id=PREFIX + book.id, created=int(book.updated_at_s or 0.0)) for book in books
    ]
    if grant.books is not None:
        return models
    newest = max((model.created for model in models), default=0)
    return [ModelOut(id=EVERYTHING, created=newest), *models]


async def books_of_model(name: str, use: UseCases, grant: Grant) -> tuple[str, ...] | None:
    """The books that a model stands for; None for all that the service answers from.

    ModelNotFound lists the models that there are.
    """
    if name == EVERYTHING:
        return None if grant.books is None else await use.default_books.ids_for(grant.books)
    book_id = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and await is_readable(book_id, use, grant):
        return (book_id,)
    raise await model_not_found(name, use, grant)


async def is_readable(book_id: str, use: UseCases, grant: Grant) -> bool:
    """Return whether there is such a book, and it may be read."""
    return grant.allows(book_id) and bool((await use.books.statistics(book_id)).files)


async def model_not_found(name: str, use: UseCases, grant: Grant) -> ModelNotFound:
    names = [model.id for model in await list_models(use, grant)]
    more = len(names) - MAX_LISTED_NAMES
    listed = f"{names[:MAX_LISTED_NAMES]}" + (f" and {more} more" if more > 0 else "")
    return ModelNotFound(f"There is no model {shorten(name, 80)!r}. Available: {listed}")
