"""What a claim may leave out of a fact and how it may split one, each beside a false twin."""

import pytest

from tests.unit.answering.proof.test_mentions import proves

TRUE = (
    ("The iron roof, then a novelty, was made in Lisk.", "The iron roof was made in Lisk."),
    (
        "The mill, built dry in 1743, ground oats for a century.",
        "The mill ground oats for a century.",
    ),
    ("A baker from Lisk, Tom Vale, found the purse.", "Tom Vale found the purse."),
    ("The clock was built by Reed, a smith who had lost his shop.", "The clock was built by Reed."),
    ("Vale opened safes before he became a teacher.", "Vale opened safes."),
    ("The cell itself was built by Orrin.", "The cell was built by Orrin."),
    ("His widow Harriet sold the paper in 1880.", "Harriet sold the paper in 1880."),
    ("The frame carries 40 wires 0.3 mm thick.", "The frame carries 40 wires."),
    (
        "Dunholt is a market town of 8,140 people on the river Esk.",
        "Dunholt is a market town on the river Esk.",
    ),
    ("The tail grows back in a month but stays shorter.", "The tail grows back in a month."),
    ("Known problem: the clock stops at noon.", "The clock stops at noon."),
    ("The gate was sold in 1880, although the wall had been kept.", "The wall had been kept."),
    (
        "`keep_log` (true or false, default true) holds the log open.",
        "`keep_log` holds the log open.",
    ),
    ("Steady red: the cover is open.", "Steady red means that the cover is open."),
    ("Add `--all` to copy the hidden files.", "You can add `--all` to copy the hidden files."),
    ("The pump beats at intervals of 20 ms.", "The pump beats every 20 ms."),
    ("Below -15 °C a heater takes over.", "A heater takes over below -15 °C."),
    (
        "Since 1957 the dam has held, and no flood has come.",
        "The dam has held since 1957, and no flood has come.",
    ),
    (
        "Heating wine to 70 degrees for one minute kills the yeast.",
        "The yeast is killed by heating wine to 70 degrees for one minute.",
    ),
    (
        "The hall is lit by a glass dome 24 metres across.",
        "A glass dome 24 metres across lights the hall.",
    ),
    (
        "Ada Orrin (born 3 May 1911 in Velm) was a painter.",
        "Ada Orrin was born in Velm on 3 May 1911.",
    ),
    (
        "The song was written by Ada Orrin. / The song lasts two minutes.",
        "Written by Ada Orrin, the song lasts two minutes.",
    ),
    ("Keep the label. / The label lists all parts.", "Keep the label, which lists all parts."),
    ("Close the doors but do not lock them.", "You should close the doors without locking them."),
    (
        "The fan draws heat from the air and gives it to the water.",
        "Heat is drawn from the air by the fan and given to the water.",
    ),
    ("Samples are stored at 5 °C.", "The samples are kept at five degrees Celsius."),
    ("Drivers receive a warning.", "Drivers get a warning."),
)
# True too; but the same form may say something else, so these are quoted.
BEYOND = (
    ("Trout, once common, can no longer pass the weir.", "Trout can no longer pass the weir."),
    (
        "It was led by Ada Orrin, member for Lisk, after 1911.",
        "It was led by Ada Orrin after 1911.",
    ),
    (
        "The choir sang in the winter of 1926 out of two old books.",
        "The choir sang out of two old books.",
    ),
    ("Vale sent his son to Rome to buy a horse.", "Vale sent his son to Rome."),
    ("They met on the island of Tarn.", "They met on Tarn."),
    ("Duke Konrad of Esk took the fort in 1611.", "Duke Konrad took the fort in 1611."),
    ("Marn fever is a disease of goats, caused by a mite.", "Marn fever is caused by a mite."),
    (
        "The band has no name, but any member may leave.",
        "Any member may leave, but the band has no name.",
    ),
)
FALSE = (
    ("Boxes, stacked upright, hold 40 kg.", "Boxes hold 40 kg."),
    ("The box, stacked upright, holds 40 kg.", "The box holds 40 kg."),
    ("Trout, if tagged, may be sold.", "Trout may be sold."),
    ("Trout, once tagged, may be sold.", "Trout may be sold."),
    (
        "The room is open from nine to five, an hour less on Sundays.",
        "The room is open from nine to five.",
    ),
    ("Guests may carry one bag, a small one.", "Guests may carry one bag."),
    ("A baker from Lisk, Tom Vale, found the purse.", "The purse found Tom Vale."),
    ("The first choir in Lisk sang in 1926.", "The first choir sang in 1926."),
    ("Nobody sang in the hall in 1926.", "Nobody sang in 1926."),
    ("The shop opened at nine on Sundays.", "The shop opened at nine."),
    ("Vale refused to buy a horse.", "Vale refused."),
    ("Vale asked his son to buy a horse.", "Vale asked his son."),
    ("Vale failed in Rome to sell the horse.", "Vale failed to sell the horse in Rome in time."),
    ("The pump cleans itself.", "The pump cleans."),
    ("The Duke of Esk took the fort.", "Esk took the fort."),
    ("Use wires 0.3 mm thick.", "Use wires."),
    ("Wires 0.3 mm thick may be used.", "Wires may be used."),
    (
        "Dunholt is the largest town of Marl on the river Esk.",
        "Dunholt is the largest town of Marl.",
    ),
    ("Lead is a danger in old pipes.", "Lead is a danger."),
    ("Marn fever is not a disease of goats, caused by a mite.", "Marn fever is caused by a mite."),
    ("The tail does not grow back but stays shorter.", "The tail does grow back."),
    ("Winter: the clock stops at noon.", "The clock stops at noon."),
    ("Steady red: the cover is open.", "The cover is open."),
    ("Steady red: the cover is open.", "Steady red means that the cover is not open."),
    (
        "Do not add `--all` to copy the hidden files.",
        "You can add `--all` to copy the hidden files.",
    ),
    ("Press the key and wait.", "You can press the key and wait."),
    ("Above -15 °C a heater takes over.", "A heater takes over below -15 °C."),
    (
        "Since 1957 the dam has held, and no flood has come.",
        "No flood has come, and the dam has not held since 1957.",
    ),
    (
        "Heating wine to 70 degrees for one minute kills the yeast.",
        "Heating wine to 70 degrees kills the yeast.",
    ),
    (
        "The hall is lit by a glass dome 24 metres across.",
        "A glass hall 24 metres across lights the dome.",
    ),
    (
        "Ada Orrin (born 3 May 1911 in Velm) was a painter.",
        "Ada Orrin was born in Velm on 13 May 1911.",
    ),
    (
        "The song was written by Ada Orrin. / The hymn lasts two minutes.",
        "Written by Ada Orrin, the hymn lasts two minutes.",
    ),
    ("Keep the label. / The box lists all parts.", "Keep the label, which lists all parts."),
    ("Some say that the gate was sold; the wall was kept.", "The gate was sold."),
    ("If it rains, the gate is shut; the wall is wet.", "The wall is wet."),
    ("Close the doors and lock them.", "You should close the doors without locking them."),
    ("Do not close the doors or lock them.", "You should close the doors without locking them."),
    (
        "The fan draws heat from the air and the pump cools it.",
        "Heat is drawn from the air and cooled by the fan.",
    ),
    (
        "The fan draws heat from the air and gives it to the water.",
        "Heat is drawn from the water by the fan and given to the air.",
    ),
    ("Open the valve; start the pump.", "Start the pump; open the valve."),
    (
        "The bus left at nine; the train left at ten.",
        "The train left at nine; the bus left at ten.",
    ),
)


@pytest.mark.parametrize(("evidence", "claim"), TRUE, ids=lambda one: one[:40])
def test_what_a_fact_says_besides_may_be_left_out(evidence: str, claim: str) -> None:
    assert proves("Notes", evidence, claim)


@pytest.mark.parametrize(("evidence", "claim"), FALSE, ids=lambda one: one[:40])
def test_what_a_fact_depends_on_may_not_be_left_out(evidence: str, claim: str) -> None:
    assert not proves("Notes", evidence, claim)
