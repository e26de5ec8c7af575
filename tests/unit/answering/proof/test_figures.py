from itertools import combinations

import pytest

from sourcebook.answering.proof.tokens import read_tokens

SAME = (
    ("32768 hertz", "32,768 Hz", "32.768 kHz"),
    ("30 days", "thirty days"),
    ("90 minutes", "1.5 hours", "1.5 h", "5400 s"),
    ("14 days", "two weeks", "2 weeks"),
    ("one year", "12 months"),
    ("50 %", "50 percent", "50 per cent", "fifty percent", "50%"),
    ("half of it", "50 % of it", "fifty percent of it"),
    ("at least 5", "5 or more", "no fewer than five", "a minimum of 5", "≥ 5"),
    ("at most 5", "up to 5", "no more than 5", "5 or less", "≤ 5"),
    ("more than 5", "greater than 5"),
    ("less than 5", "fewer than five"),
    ("approximately 5", "roughly five"),
    ("5 to 10 V", "5–10 V", "between 5 and 10 V", "5 V to 10 V", "5-10 volts"),
    ("17 June 1944", "June 17, 1944", "17th of June 1944", "1944-06-17", "June 17th, 1944"),
    ("2 pm", "14:00", "2:00 p.m.", "2 PM"),
    ("€5", "5 euros", "5 EUR", "EUR 5"),
    ("1.5 million", "1,500,000", "1500000"),
    ("10 km/h", "10 kilometres per hour", "10 km per hour"),
    ("half an hour", "30 minutes"),
    ("every quarter of an hour", "every 15 minutes"),
    ("three quarters of an hour", "45 minutes"),
    ("fortnight", "two weeks", "14 days"),
    ("nine tenths of it", "90 % of it"),
    ("four hundredths of a second", "0.04 s"),
    ("every half year", "every six months"),
    ("3.1 g/cm³", "3.1 grams per cubic centimetre"),
    ("9 Nm", "nine newton metres"),
    ("some 200 men", "roughly 200 men"),
    ("an hour and a half", "90 minutes", "1.5 hours"),
    ("£75", "75 pounds"),
    ("Jan. 1976", "January 1976"),
    ("3rd", "third"),
    ("5,000 mAh", "5 Ah"),
    ("-5 °C", "−5 °C"),
    ("250 g", "0.25 kg", "250 grams"),
)
DIFFERENT = (
    ("5 V", "5 mV", "5 kV", "5 A", "5", "5 W"),
    ("10 MB", "10 MiB", "10 Mbit", "10 GB"),
    ("5 mW", "5 MW"),
    ("30 days", "1 month", "30 months"),
    ("5 °C", "5 °F", "-5 °C", "5 K"),
    ("at least 5", "at most 5", "more than 5", "less than 5", "about 5", "5", "exactly 5"),
    ("5 to 10 V", "10 to 5 V", "5 to 10 A", "5 V", "10 V"),
    ("17 June 1944", "17 July 1944", "7 June 1944", "17 June 1945", "June 1944"),
    ("2 pm", "2 am", "2:30 pm", "12:00"),
    ("€5", "$5", "£5", "¥5"),
    ("32.768 Hz", "32,768 Hz"),
    ("1.2.3", "1.2", "1.23", "12.3"),
    ("half of it", "a third of it", "a quarter of it", "two thirds of it"),
    ("3rd", "third of it", "3", "13th"),
    ("a few", "few", "several"),
    ("a quarter of an hour", "a quarter of it", "4 hours", "a third of an hour"),
    ("a fortnight", "two days", "a week"),
    ("nine tenths of it", "9 % of it", "nine of it", "a ninth of it"),
    ("3.1 g/cm³", "3.1 g/m³", "3.1 kg/cm³", "3.1 g"),
    ("some 200 men", "200 men", "some men"),
    ("two eight-metre beams", "ten-metre beams", "28-metre beams"),
)


@pytest.mark.parametrize("spellings", SAME, ids=lambda one: one[0])
def test_figures_of_one_value_are_equal_however_they_are_written(
    spellings: tuple[str, ...],
) -> None:
    assert len({tuple(token.key for token in read_tokens(one)) for one in spellings}) == 1


@pytest.mark.parametrize("figures", DIFFERENT, ids=lambda one: one[0])
def test_figures_of_different_values_differ(figures: tuple[str, ...]) -> None:
    for one, other in combinations(figures, 2):
        assert read_tokens(one) != read_tokens(other), (one, other)
