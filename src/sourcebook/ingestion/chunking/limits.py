"""How large a chunk may be: the chunk size, its bounds and the overlap."""

from dataclasses import astuple, dataclass

# A monster of a word can be a single token; nobody wants it in one chunk all the same.
MAX_CHUNK_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes in tokens. No chunk exceeds `maximum`, its overlap included.

    Chunks are filled up to `target` without their overlap; one below `minimum` is joined to a
    neighbour if it fits. The overlap has at most `overlap` tokens; a last sentence that is longer
    is repeated whole, up to `longest_overlap`.
    """

    target: int
    maximum: int
    minimum: int
    overlap: int
    longest_overlap: int = 0


# 400 to 512 tokens, of which 15 % repeat the previous chunk.
MARKDOWN_LIMITS = ChunkLimits(target=435, maximum=512, minimum=100, overlap=77, longest_overlap=154)
# Four windows of a model that reads 256 tokens, two of one that reads 512.
TEXT_LIMITS = ChunkLimits(target=800, maximum=1_016, minimum=128, overlap=75)


def chunker_id(version: int, limits: ChunkLimits, default: ChunkLimits) -> int | str:
    """Identify how a text was split, so that a new chunk size splits it again.

    With the default limits it is the bare version, which is what earlier releases stored.
    """
    if limits == default:
        return version
    return f"{version}:{'-'.join(str(size) for size in astuple(limits))}"
