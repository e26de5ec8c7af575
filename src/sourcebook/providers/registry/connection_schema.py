"""Describes a provider's settings as fields of a form and as JSON Schema."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias, cast

from pydantic import BaseModel

from sourcebook.core.metadata import JsonValue, Metadata
from sourcebook.core.providers import (
    ConnectionField,
    ConnectionSchema,
    FieldType,
    ProviderCard,
)
from sourcebook.providers.declaration import Provider

Schema: TypeAlias = dict[str, JsonValue]

_TYPES: Mapping[JsonValue, FieldType] = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
}
# Where a schema holds values, and where it holds schemas.
_TELLING = ("default", "examples", "const", "enum")
_MANY = ("properties", "$defs", "patternProperties", "anyOf", "allOf", "oneOf", "prefixItems")
_ONE = ("items", "additionalProperties")
# A limit of the value, its name in a form, and the words for it.
_LIMITS = (
    ("minimum", "min", "at least"),
    ("exclusiveMinimum", "min", "more than"),
    ("maximum", "max", "at most"),
    ("exclusiveMaximum", "max", "less than"),
)
_ABBREVIATIONS = {"api": "API", "id": "ID", "url": "URL", "ssl": "SSL", "tls": "TLS"}


def connection_schema(
    card: ProviderCard, provider: Provider[BaseModel, object]
) -> ConnectionSchema:
    """Describe everything that a form needs to ask for a provider's settings."""
    schema = settings_schema(provider.settings)
    fields = [_field(name, part, schema) for name, part in _properties(schema).items()]
    # What must be filled in comes first.
    fields.sort(key=lambda field: not field.required)
    return ConnectionSchema(card, tuple(fields), schema)


def settings_schema(settings: type[BaseModel]) -> Schema:
    """Return the JSON Schema of a settings model: secrets are marked, their defaults left out."""
    schema = cast("Schema", settings.model_json_schema())
    for part in _parts(schema):
        if _is_secret(part, schema):
            _hide(part)
    for name in secret_names(schema):
        _properties(schema)[name]["writeOnly"] = True
    schema.setdefault("additionalProperties", False)
    return schema


def secret_names(schema: Schema) -> frozenset[str]:
    """Return the names of the settings that are secret or hold a secret."""
    return frozenset(name for name, part in _properties(schema).items() if _is_secret(part, schema))


def _is_secret(part: Schema, whole: Schema) -> bool:
    return any(
        one.get("writeOnly") or one.get("format") == "password" for one in _deep(part, whole)
    )


def _field(name: str, part: Schema, whole: Schema) -> ConnectionField:
    plain = {**_plain(part, whole), **{key: part[key] for key in part if key != "anyOf"}}
    secret = _is_secret(part, whole)
    title, placeholder = plain.get("title"), plain.get("placeholder")
    return ConnectionField(
        name=name,
        type=_type(plain, secret=secret),
        # Pydantic makes titles of its own, which know no abbreviations.
        label=_name_in_words(name) if title in {None, _title(name)} else str(title),
        description=str(plain.get("description") or ""),
        required=name in cast("list[str]", whole.get("required", [])),
        secret=secret,
        default=None if secret else part.get("default"),
        placeholder=None if placeholder is None else str(placeholder),
        validation=_validation(plain),
    )


def _type(plain: Schema, *, secret: bool) -> FieldType:
    found = _TYPES.get(plain.get("type"), "object")
    if found != "string":
        return found
    if secret:
        return "password"
    return "url" if plain.get("format") == "uri" else "string"


def _validation(plain: Schema) -> Metadata | None:
    if (pattern := plain.get("pattern")) is not None:
        return {"pattern": pattern, "message": f"Must match {pattern}"}
    limits: Schema = {}
    said = []
    for key, name, words in _LIMITS:
        if key in plain:
            limits.setdefault(name, plain[key])
            said.append(f"{words} {plain[key]}")
    return {**limits, "message": f"Must be {' and '.join(said)}"} if limits else None


def _plain(part: Schema, whole: Schema) -> Schema:
    """Resolve a part to the schema of a value: of several choices, the first that is not null."""
    part = _resolved(part, whole)
    choices = part.get("anyOf")
    if not isinstance(choices, list):
        return part
    given = [one for one in choices if isinstance(one, dict) and one.get("type") != "null"]
    return _resolved(given[0], whole) if given else part


def _resolved(part: Schema, whole: Schema) -> Schema:
    reference = part.get("$ref")
    if not isinstance(reference, str):
        return part
    definitions = whole.get("$defs")
    found = definitions.get(reference.rpartition("/")[2]) if isinstance(definitions, dict) else None
    return found if isinstance(found, dict) else part


def _properties(schema: Schema) -> dict[str, Schema]:
    return cast("dict[str, Schema]", schema.get("properties", {}))


def _parts(schema: JsonValue) -> Iterator[Schema]:
    """Every schema inside a schema, itself included, but not those that it refers to."""
    if not isinstance(schema, dict):
        return
    yield schema
    inside = [schema.get(key) for key in _ONE]
    for key in _MANY:
        many = cast("dict[str, JsonValue] | list[JsonValue]", schema.get(key, []))
        inside += many.values() if isinstance(many, dict) else many
    for part in inside:
        yield from _parts(part)


def _deep(part: Schema, whole: Schema, seen: frozenset[str] = frozenset()) -> Iterator[Schema]:
    """Every schema inside a part of a schema, and inside those that it refers to."""
    for one in _parts(part):
        yield one
        reference = one.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            yield from _deep(_resolved(one, whole), whole, seen | {reference})


def _hide(part: Schema) -> None:
    for key in _TELLING:
        part.pop(key, None)
    if part.get("type") == "string":
        part |= {"format": "password", "writeOnly": True}


def _title(name: str) -> str:
    return name.title().replace("_", " ").strip()


def _name_in_words(name: str) -> str:
    first, *rest = (_ABBREVIATIONS.get(word, word) for word in name.split("_") if word)
    return " ".join([first[:1].upper() + first[1:], *rest])
