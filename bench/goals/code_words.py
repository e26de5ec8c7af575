"""Lessons that differ in one code word, and the questions that ask for one of them."""

from pathlib import Path

from sourcebook.evaluation.questions import JudgedQuestion

COUNT = 60
_FIRST = ("bra", "cor", "del", "fen", "gal", "hir", "jop", "kel", "lum", "mar", "nev", "osk")
_LAST = ("dun", "fip", "lox", "mek", "vat")
_LESSON = """# Emergency drill

## Before the drill

Tell everybody in the workshop that a drill is about to begin. Clear the floor around the robot,
put all tools back on the wall, and check that the emergency stop can be reached from both doors.
The drill takes about ten minutes, and nobody may leave before the head count at its end.

## Start

Say the code word {word} aloud. Whoever is nearest to the panel presses the red button, and all
others step behind the yellow line. The robot must come to rest within two seconds. If it does not,
pull the main switch and write the time down in the log book.

## After the drill

Release the button, wait for the green lamp, and let the robot go back to its home position. Note
who took part, how long it took, and what should be done better the next time.
"""


def code_words() -> list[str]:
    """Return words that no language has."""
    return [first + last for first in _FIRST for last in _LAST][:COUNT]


def write_lessons(folder: Path) -> list[JudgedQuestion]:
    """Write the lessons into the folder and return a question for each of them."""
    questions = []
    for number, word in enumerate(code_words(), 1):
        name = f"drill-{number:02}.md"
        (folder / name).write_text(_LESSON.format(word=word), "utf-8")
        text = f"What do I do when I hear the code word {word}?"
        questions.append(JudgedQuestion(word, text, {name: 1}))
    return questions
