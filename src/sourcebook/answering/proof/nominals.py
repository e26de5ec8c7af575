"""Nouns that are made of verbs: `installation` says what `install` says."""

from sourcebook.answering.proof.tokens import word_keys

_NOMINALS = """
installation install
expiry expire
expiration expire
deletion delete
removal remove
creation create
delivery deliver
arrival arrive
departure depart
treatment treat
vaccination vaccinate
inspection inspect
startup start
start-up start
payment pay
shipment ship
registration register
activation activate
deactivation deactivate
submission submit
approval approve
rejection reject
replacement replace
measurement measure
adjustment adjust
calibration calibrate
validation validate
verification verify
authentication authenticate
compilation compile
execution execute
initialization initialize
configuration configure
migration migrate
connection connect
disconnection disconnect
transmission transmit
reception receive
conversion convert
encryption encrypt
decryption decrypt
compression compress
extraction extract
insertion insert
selection select
rotation rotate
construction construct
demolition demolish
destruction destroy
restoration restore
renovation renovate
publication publish
translation translate
election elect
evaluation evaluate
examination examine
application apply
consumption consume
production produce
protection protect
reduction reduce
collection collect
division divide
addition add
subtraction subtract
multiplication multiply
evaporation evaporate
pollination pollinate
germination germinate
fermentation ferment
maintenance maintain
storage store
usage use
growth grow
loss lose
failure fail
closure close
renewal renew
withdrawal withdraw
cancellation cancel
termination terminate
completion complete
discovery discover
recovery recover
retrieval retrieve
transformation transform
evacuation evacuate
deployment deploy
assessment assess
development develop
movement move
shipment ship
transfer transfer
update update
restart restart
"""


def _read() -> dict[str, str]:
    pairs = [line.split() for line in _NOMINALS.strip().split("\n")]
    keys = {noun: (word_keys({noun}), word_keys({verb})) for noun, verb in pairs}
    return {next(iter(noun)): next(iter(verb)) for noun, verb in keys.values()}


# Ambiguous ones are left out of nothing but the comparison of nouns: both sides read them alike.
NOMINALS = _read()
