"""Irregular forms of English words, and British spellings."""

from typing import Literal

_VERB_FORMS = """
be: is are am was were been being
have: has had having
do: does did done doing
go: goes went gone going
begin: began begun
become: became
break: broke broken
bring: brought
build: built
buy: bought
catch: caught
choose: chose chosen
come: came
draw: drew drawn
drink: drank drunk
die: died dying
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
fight: fought
find: found
fly: flew flown flies
tie: tied tying
lie: lied lying
forget: forgot forgotten
freeze: froze frozen
get: got gotten
give: gave given
grow: grew grown
hang: hung
hide: hid hidden
hold: held
keep: kept
know: knew known
lay: laid
lead: led
leave: left
grind: ground
learn: learnt
lend: lent
lose: lost
make: made
mean: meant
meet: met
overcome: overcame
overwrite: overwrote overwritten
pay: paid
repay: repaid
rebuild: rebuilt
rewrite: rewrote rewritten
ride: rode ridden
ring: rang rung
rise: rose risen
run: ran
say: said
see: seen
sell: sold
send: sent
shake: shook shaken
show: shown
prove: proven
shrink: shrank shrunk
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
speak: spoken
spend: spent
stand: stood
steal: stole stolen
stick: stuck
strike: struck
swim: swam swum
take: took taken
teach: taught
tell: told
think: thought
throw: threw thrown
undergo: underwent undergone
understand: understood
wear: wore worn
win: won
withdraw: withdrew withdrawn
write: wrote written
agree: agreed
free: freed
guarantee: guaranteed
arise: arose arisen
bend: bent
bind: bound
bite: bit bitten
blow: blew blown
cling: clung
creep: crept
deal: dealt
dig: dug
dwell: dwelt
feel: felt
flee: fled
forbid: forbade forbidden
hear: heard
kneel: knelt
light: lit
mistake: mistook mistaken
oversee: oversaw overseen
overtake: overtook overtaken
seek: sought
shine: shone
shoot: shot
slide: slid
spin: spun
spring: sprang sprung
sting: stung
strive: strove striven
swear: swore sworn
sweep: swept
swell: swollen
swing: swung
tear: tore torn
tread: trod trodden
wake: woke woken
weave: wove woven
weep: wept
"""
_FORM_OF: dict[str, Literal["s", "ed", "ing"]] = {
    "dying": "ing",
    "tying": "ing",
    "lying": "ing",
    "is": "s",
    "are": "s",
    "am": "s",
    "has": "s",
    "does": "s",
    "goes": "s",
    "flies": "s",
    "being": "ing",
    "having": "ing",
    "doing": "ing",
    "going": "ing",
}


def _forms() -> dict[str, tuple[str, Literal["base", "s", "ed", "ing"]]]:
    found: dict[str, tuple[str, Literal["base", "s", "ed", "ing"]]] = {}
    for line in _VERB_FORMS.split("\n"):
        base, _, forms = line.partition(":")
        for form in forms.split():
            found[form] = (base, _FORM_OF.get(form, "ed"))
    return found


IRREGULAR_FORMS = _forms()
UNCHANGED_PARTICIPLES = frozenset(
    {"run", "set", "put", "cut", "read", "shut", "hit", "let", "spread", "split", "reset", "rerun"}
)
# Past forms that are never participles after `is`: `it was` tells of the past, `it is built` not.
PAST_FORMS = frozenset({"was", "were", "had", "did", "went", "began", "became", "came", "fell"})
IRREGULAR_PLURALS = {
    "news": "news",
    "https": "https",
    "goods": "goods",
    "series": "series",
    "species": "species",
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "indices": "index",
    "indexes": "index",
    "vertices": "vertex",
    "matrices": "matrix",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "analyses": "analysis",
    "axes": "axis",
    "lives": "life",
    "halves": "half",
    "leaves": "leave",
    "knives": "knife",
    "wolves": "wolf",
    "shelves": "shelf",
    "wives": "wife",
    "buses": "bus",
    "gases": "gas",
    "lenses": "lens",
    "processes": "process",
    "viruses": "virus",
    "statuses": "status",
}
# Parts of words, British before American.
SPELLINGS = (
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("favour", "favor"),
    ("labour", "labor"),
    ("neighbour", "neighbor"),
    ("honour", "honor"),
    ("harbour", "harbor"),
    ("flavour", "flavor"),
    ("humour", "humor"),
    ("odour", "odor"),
    ("vapour", "vapor"),
    ("armour", "armor"),
    ("rumour", "rumor"),
    ("centre", "center"),
    ("metre", "meter"),
    ("litre", "liter"),
    ("theatre", "theater"),
    ("fibre", "fiber"),
    ("calibre", "caliber"),
    ("catalogue", "catalog"),
    ("dialogue", "dialog"),
    ("analogue", "analog"),
    ("analyse", "analyze"),
    ("analysing", "analyzing"),
    ("defence", "defense"),
    ("offence", "offense"),
    ("licence", "license"),
    ("practise", "practice"),
    ("practising", "practicing"),
    ("programme", "program"),
    ("aluminium", "aluminum"),
    ("sulphur", "sulfur"),
    ("grey", "gray"),
    ("mould", "mold"),
    ("tyre", "tire"),
    ("artefact", "artifact"),
    ("judgement", "judgment"),
    ("acknowledgement", "acknowledgment"),
    ("ageing", "aging"),
    ("cheque", "check"),
    ("whilst", "while"),
    ("amongst", "among"),
    ("towards", "toward"),
    ("sceptic", "skeptic"),
    ("plough", "plow"),
    ("jewellery", "jewelry"),
    ("fulfil", "fulfill"),
    ("fulfilll", "fulfill"),
    ("enrol", "enroll"),
    ("enrolll", "enroll"),
    ("gramme", "gram"),
)
