"""What the agent does. manifest.json describes input and output."""


class InvalidInput(Exception):
    """An input that does not match the input schema. The server answers it with status 422."""


def answer(given):
    text = given.get("text") if isinstance(given, dict) else None
    if not isinstance(text, str):
        raise InvalidInput("text must be a string")
    return {"words": len(text.split())}
