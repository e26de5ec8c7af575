"""Units of measurement by value: `32.768 kHz` is `32,768 Hz`, `10 MB` is not `10 MiB`."""

from fractions import Fraction
from typing import NamedTuple


class Unit(NamedTuple):
    """What a unit measures, and how many of the base unit it is."""

    dimension: str
    factor: Fraction


# dimension: symbols and words with their factor; words are compared in lower case and singular.
_UNITS = """
time: ns=1/1000000000 nanosecond=1/1000000000 µs=1/1000000 us=1/1000000 microsecond=1/1000000
time: ms=1/1000 msec=1/1000 millisecond=1/1000 s=1 sec=1 second=1 min=60 minute=60 h=3600 hr=3600
time: hour=3600 day=86400 week=604800
month: month=1 year=12 yr=12 decade=120 century=1200
frequency: mHz=1/1000 Hz=1 hertz=1 kHz=1000 kilohertz=1000 MHz=1000000 megahertz=1000000
frequency: GHz=1000000000 gigahertz=1000000000
length: nm=1/1000000000 nanometer=1/1000000000 µm=1/1000000 um=1/1000000 micrometer=1/1000000
length: mm=1/1000 millimeter=1/1000 cm=1/100 centimeter=1/100 m=1 meter=1 km=1000 kilometer=1000
foot: ft=12 foot=12 inch=1 yard=36
mile: mi=1 mile=1
mass: µg=1/1000000 microgram=1/1000000 mg=1/1000 milligram=1/1000 g=1 gram=1 kg=1000
mass: kilo=1000 kilogram=1000 tonne=1000000
pound: lb=1 pound=1 £=1 GBP=1
ounce: oz=1 ounce=1
volume: ml=1/1000 mL=1/1000 milliliter=1/1000 cl=1/100 l=1 L=1 liter=1
voltage: mV=1/1000 millivolt=1/1000 V=1 volt=1 kV=1000 kilovolt=1000
current: µA=1/1000000 mA=1/1000 milliampere=1/1000 milliamp=1/1000 A=1 ampere=1 amp=1
charge: mAh=1/1000 Ah=1
power: mW=1/1000 milliwatt=1/1000 W=1 watt=1 kW=1000 kilowatt=1000 MW=1000000 megawatt=1000000
energy: Wh=1 kWh=1000 MWh=1000000
joule: J=1 joule=1 kJ=1000 kilojoule=1000
resistance: Ω=1 ohm=1 kΩ=1000 kiloohm=1000 MΩ=1000000
force: N=1 newton=1 kN=1000
torque: Nm=1 N·m=1
pressure: Pa=1 pascal=1 hPa=100 kPa=1000 MPa=1000000 mbar=100 millibar=100 bar=100000
psi: psi=1
bit: bit=1 kbit=1000 Mbit=1000000 Gbit=1000000000
bytes: B=1 byte=1 kB=1000 KB=1000 kilobyte=1000 MB=1000000 megabyte=1000000 GB=1000000000
bytes: gigabyte=1000000000 TB=1000000000000 terabyte=1000000000000
bytes: KiB=1024 kibibyte=1024 MiB=1048576 mebibyte=1048576 GiB=1073741824 gibibyte=1073741824
celsius: °C=1 ℃=1
fahrenheit: °F=1
kelvin: K=1 kelvin=1
angle: °=1 degree=1
radian: rad=1 radian=1
ratio: %=1/100 percent=1/100
euro: €=1 EUR=1 euro=1
dollar: $=1 USD=1 dollar=1
yen: ¥=1 JPY=1 yen=1
rate: rpm=1
speed: kn=1 knot=1
sound: dB=1 decibel=1
"""


def _read_units() -> dict[str, Unit]:
    found = {}
    for line in _UNITS.strip().split("\n"):
        dimension, _, names = line.partition(":")
        for name in names.split():
            symbol, _, factor = name.partition("=")
            found[symbol] = Unit(dimension, Fraction(factor))
    return found


_BY_NAME = _read_units()
CURRENCIES = frozenset({"€", "$", "£", "¥", "EUR", "USD", "GBP", "JPY"})
_WORD_LENGTH = 3
_POWERS = {"²": 2, "³": 3}


def unit_of(written: str) -> Unit | None:
    """The unit that a word or sign stands for; symbols are told apart by case: `mW`, `MW`."""
    if written in _BY_NAME:
        return _BY_NAME[written]
    if written[-1:] in _POWERS and written[:-1] in _BY_NAME:
        return power(_BY_NAME[written[:-1]], _POWERS[written[-1]])
    if len(written) < _WORD_LENGTH:
        return None
    plain = written.lower().replace("metre", "meter").replace("litre", "liter")
    for name in (plain, plain.removesuffix("s"), plain.replace("inches", "inch")):
        if name in _BY_NAME and name.isalpha() and len(name) >= _WORD_LENGTH:
            return _BY_NAME[name]
    irregular = {"feet": "ft", "centuries": "century", "hrs": "h", "mins": "min", "secs": "s"}
    return _BY_NAME.get(irregular.get(plain, ""))


def ratio(one: Unit, other: Unit) -> Unit:
    """What `km/h` and `kilometres per hour` measure."""
    return Unit(f"{one.dimension}/{other.dimension}", one.factor / other.factor)


def power(one: Unit, exponent: int) -> Unit:
    """What `m²` and `square metres` measure."""
    return Unit(f"{one.dimension}{'²³'[exponent - 2]}", one.factor**exponent)
