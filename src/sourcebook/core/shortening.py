"""Values as they are shown in messages: long ones are cut."""


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= most else text[:most] + "…"
