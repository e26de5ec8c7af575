"""False claims in the words of their passages, one thing wrong in each."""

import pytest

from tests.unit.answering.proof.test_mentions import proves

PASSAGES = (
    (
        "Marta Kell",
        (
            "Marta Kell (born 12 May 1902 in Velm) was a Drenish sculptor best known for the "
            "Salt Horse, a statue that stands in the harbour of Lisk.",
            "Her sister Ines taught music in Oderlin.",
            "She died in 1931 after a fall.",
            "Kell left Velm in 1923, because the academy had closed, and opened a workshop "
            "in Lisk with her cousin Otto Brandt.",
            "The dealer Paul Renn, who owned three galleries, sold her first works to the "
            "museum in Oderlin for 900 crowns.",
            "He never paid her.",
        ),
        (
            "Marta Kell died in 1931 after a fall.",
            "Kell taught music in Oderlin.",
            "Kell never paid Paul Renn.",
            "Marta Kell was born on 12 May 1902 in Lisk.",
            "Kell left Lisk in 1923 because the academy had closed.",
        ),
    ),
    (
        "Harn Bridge",
        (
            "Harn Bridge is an iron bridge of 14 arches over the river Esk, in the county of Marl.",
            "The bridge, opened in 1871, carried trains until 1962 and now carries only walkers.",
            "The neighbouring Tolbridge, a wooden bridge, burned down in 1880.",
            "A toll of two pence was charged at first, but it was dropped in 1899.",
            "The engineer, Clara Voss, had proposed stone; iron was chosen because the "
            "quarry had flooded.",
        ),
        (
            "Harn Bridge burned down in 1880.",
            "Opened in 1871, the bridge carried only walkers.",
            "Stone was chosen because the quarry had flooded.",
        ),
    ),
    (
        "Rules of the reading room",
        (
            "Readers may take photographs without flash, provided that the desk has been told.",
            "Bags, closed with a strap, may be left at the door.",
            "Only pencils, never pens, are allowed at the tables.",
            "Maps must be carried flat by two people, with gloves on.",
            "The room is open from nine to five, an hour less on Saturdays.",
        ),
        (
            "Bags may be left at the door.",
            "Maps must be carried flat.",
            "The room is open from nine to five on Saturdays.",
        ),
    ),
    (
        "Tidewatch 4 manual",
        (
            "The Tidewatch 4 measures water levels from 0 to 12 metres with an accuracy of 3 "
            "cm, and water temperature with an accuracy of 0.5 degrees.",
            "Steady green: the float is free.",
            "Slow green: the battery is below 20 percent.",
            "Known problem: after a restart the clock shows UTC until the next full hour.",
            "Press the grey key to store the reading.",
            "When the limit is exceeded, the horn sounds and the relay opens.",
        ),
        (
            "Steady green means that the battery is below 20 percent.",
            "The clock shows UTC after a restart.",
            "The horn sounds and the relay opens.",
        ),
    ),
    (
        "Palk & Reed",
        (
            "Palk & Reed is a manufacturer of clocks with its head office in Dunholt.",
            "It was founded in 1911 by Josef Palk and Anna Reed.",
            "In 1950 the firm bought its rival Tempor for 3 million crowns.",
            "Tempor, founded in 1890, had made ship clocks.",
            "The firm was sold in 1988 to a Swiss bank, which closed the plant a year later.",
        ),
        (
            "The firm had made ship clocks.",
            "Founded in 1890, Palk & Reed bought its rival Tempor.",
            "The firm closed the plant a year later.",
        ),
    ),
    (
        "Grenna fever",
        (
            "Grenna fever is an infectious disease of sheep, caused by the bacterium "
            "Ovibacter grenna and named after a village in Marl.",
            "Untreated, the illness lasts a fortnight.",
            "A week of tablets cures nearly all animals, but pregnant ewes must be given "
            "injections instead.",
            "Heating milk to 72 degrees for a quarter of an hour kills the germ.",
            "Lambs, once infected, can no longer be sold.",
        ),
        (
            "Untreated, Grenna fever lasts three weeks.",
            "Lambs can no longer be sold.",
            "Heating milk kills the germ.",
        ),
    ),
    (
        "Sela Vance",
        (
            "Sela Vance is a former rower who won silver at the Games of 2004.",
            "Her coach was the retired miner Bert Hollis, who trained her on the canal.",
            "Hollis, a smoker, died in 2010.",
            "Vance, injured in 2008, retired a year later.",
            "Her rival Ana Duarte won gold in 2004 and 2008.",
            "She runs a school in Lisk.",
        ),
        (
            "Vance runs a school in Lisk.",
            "Hollis, injured in 2008, retired a year later.",
            "Sela Vance is a rower.",
        ),
    ),
    (
        "Orrin Lake",
        (
            "Orrin Lake is a lake in the north of Marl, 31 metres deep at its deepest point.",
            "It freezes in most winters, but ferries run all year.",
            "The largest fish, the pale char, weighs up to 4 kilograms.",
            "Boats longer than 6 metres, except those of the police, may not use the lake "
            "after dark.",
            "The village of Tarn, once a fishing port, lies on the western shore.",
        ),
        (
            "Tarn is a fishing port on the western shore.",
            "Boats longer than 6 metres may not use the lake.",
        ),
    ),
    (
        "Setting up Brindle",
        (
            "Brindle reads its rules from `brindle.conf` or from the path in `BRINDLE_CONF`.",
            "By default it keeps logs for 30 days; with `--forever` it never deletes them.",
            "Add `--dry` to see what would be deleted.",
            "Unknown keys are an error since version 3; earlier versions ignored them silently.",
            "Do not run Brindle as root unless `safe_mode` (true or false, default false) is set.",
        ),
        (
            "You can add `--dry` to delete what would be seen.",
            "Brindle keeps logs for 30 days.",
        ),
    ),
    (
        "Duke Albert of Marl",
        (
            "Duke Albert of Marl ruled from 1602 to 1640.",
            "His brother, Duke Konrad of Esk, besieged Lisk in 1611 with 9,000 men but "
            "failed to take it.",
            "Albert sent his cavalry to Tarn to protect the mills.",
            "It was beaten there in 1612.",
            "After the war he married Anna of Velm, whose father had lent him 40,000 crowns.",
        ),
        (
            "Duke Albert was beaten there in 1612.",
            "Konrad married Anna of Velm.",
            "Albert besieged Lisk in 1611.",
        ),
    ),
    (
        "Kestrel 9",
        (
            "The Kestrel 9 weighs 2 kg and a spare battery in the case.",
            "It charges in about 40 minutes, or in 25 with the fast plug.",
            "The lamp lights up when the lid is open, but goes out after a minute.",
            "The drone returns to its base if the battery falls below 15 percent, unless "
            "`hold` is set.",
            "Do not fly below 50 metres, with children near.",
            "Two motors, one at each end, drive the fan.",
        ),
        (
            "The lamp lights up and goes out when the lid is open.",
            "One motor drives the fan.",
        ),
    ),
    (
        "Vale House",
        (
            "Vale House is a museum in Lisk, closed on Mondays.",
            "It is a brick building, heated in winter.",
            "Visitors get a map, a pencil and, with a card, a guide.",
            "The garden is open to members, although the greenhouse is locked.",
            "The house was built by Tom Vale, who sold it to the city after the war; his "
            "sister kept the garden.",
        ),
        (
            "Vale House is closed.",
            "Visitors get a map, a pencil and a guide.",
            "Tom Vale kept the garden.",
        ),
    ),
    (
        "Anna Brandt",
        (
            "Anna Brandt was a pilot.",
            "In 1931 she flew from Lisk to Velm in nine hours.",
            "Karl Brandt, her brother, flew the same route in eight.",
            "Mrs Moss paid for both flights.",
            "Brandt crashed in 1934.",
            "She wrote to Mrs Moss from the hospital.",
        ),
        (
            "Anna Brandt crashed in 1934.",
            "Mrs Brandt paid for both flights.",
        ),
    ),
    (
        "Parking in Dunholt",
        (
            "Residents may park in the square, with a card, from six to nine.",
            "Trucks, loaded or not, may not enter the old town.",
            "The fee is two crowns an hour, half that in January.",
            "Cars left overnight are towed, at the owner's expense, to the yard in Tarn.",
            "Drivers get a warning first; a second offence costs 40 crowns.",
            "On market days the square is closed, and parking is free in Mill Street.",
        ),
        (
            "Residents may park in the square from six to nine.",
            "Parking is free in Mill Street.",
        ),
    ),
    (
        "Ferro",
        (
            "Ferro stores messages in a queue until a reader confirms them.",
            "A message that fails three times is moved to the dead queue.",
            "Readers receive messages in the order of sending, except after a restart.",
            "`ferro drain` empties the queue, and `ferro purge` the dead queue.",
            "Set `depth` to 0 to disable the limit.",
            "Messages are kept for a fortnight, or for a month with `--long`.",
        ),
        (
            "`ferro purge` empties the queue.",
            "Messages are kept for 15 days, or for a month with `--long`.",
        ),
    ),
    (
        "The Esk accord",
        (
            "The Esk accord is a treaty on fishing, signed in 1951 by Marl and Drenn and "
            "opposed by Velm.",
            "It lets Marl catch 400 tonnes a year and Drenn 250.",
            "A commission of five settles disputes; its chair is chosen by lot.",
            "Velm joined in 1970, when Drenn left.",
            "The accord ends if two members leave.",
        ),
        (
            "The Esk accord was signed in 1951 by Velm.",
            "Marl catches 250 tonnes a year.",
        ),
    ),
    (
        "Great Lisk fire",
        (
            "The Great Lisk fire began on 3 May 1702 in a bakery and burned for some 30 hours.",
            "Nearly all houses on the quay were lost; the church was saved by rain.",
            "Nobody died in the harbour, but eleven people died in Mill Street.",
            "The baker, Jan Roos, was tried and set free after a quarter of a year.",
            "The town council, led by Piet Roos, forbade thatch the year after.",
        ),
        (
            "The fire burned for 30 hours.",
            "The church was lost, but the houses on the quay were saved by rain.",
        ),
    ),
)
CLAIMS = tuple(
    (title, " / ".join(evidence), claim) for title, evidence, claims in PASSAGES for claim in claims
)


def test_there_are_forty_claims() -> None:
    assert len(CLAIMS) >= 40


@pytest.mark.parametrize(("title", "evidence", "claim"), CLAIMS, ids=lambda one: one[:50])
def test_a_claim_with_one_thing_wrong_is_not_proven(title: str, evidence: str, claim: str) -> None:
    assert not proves(title, evidence, claim)
