"""Groups of words and phrases that say the same, as safe in any sentence as we could find."""

# Each line is a group of words or phrases that say the same wherever one can stand for the other;
# the first stands for all. No near neighbours: `attach`, `connect` and `mount` are three things.
# Phrases are in base forms and without articles.
_EQUIVALENTS = """
must | have to | need to | be required to | shall | have got to | it be necessary to
neednot | not have to | not need to | need not | be not required to | it be not necessary to
can | be able to | be capable of | have ability to | it be possible to
can not | be not able to | be unable to | it be impossible to | it be not possible to
beallowed | be allowed to | be permitted to
must not | be not allowed to | be not permitted to | be forbidden to | it be forbidden to
allow | permit
need | require
fall | drop
start | begin | commence | get under way
end | finish
stop | halt | cease
use | utilize | make use of
show | display
put | place
keep | retain | preserve | store
get | obtain | receive
buy | purchase
help | assist | aid
repair | mend
build | construct
rebuild | reconstruct
choose | select
happen | occur | take place | come about
turnon | turn on | switch on | power on
turnoff | turn off | switch off | power off
eliminate | get rid of
delete | erase
insert | put in
change | alter | modify
answer | reply | respond
try | attempt
ensure | make sure | be sure | make certain | see to it
discover | find out
perform | carry out
configure | set up
discard | throw away
search for | look for
rise | increase
abandon | give up
extinguish | put out
await | wait for
depend on | rely on
handle | deal with
contact | get in touch with
reside | live
consist of | be made up of | be composed of
contain | include
be called | be named | be known as | be termed
be located | be situated
be located in | lie in
be located on | lie on
be located at | lie at
be located near | lie near
equal | be equal to
cause | bring about | give rise to
reduce | decrease
improve | enhance
protect | safeguard
damage | harm
examine | inspect | look at
press | push
release | let go of
supply | provide
warn | alert
tell | inform | notify
calculate | compute
combine | merge
gather | collect
assemble | put together
disassemble | take apart
dismantle | take to piece
reject | refuse
supervise | oversee
request | ask for
enter | go into
founded | established
demolish | tear down | pull down
decide | make decision
expect | anticipate
want | wish
send | transmit
deactivate | disable
stay | remain
disappear | vanish
close | shut
conceal | hide
reveal | disclose
speak | talk
accelerate | speed up
decelerate | slow down
surround | encircle
login | log in | sign in
logout | log out | sign out
fill in | fill out
gain | acquire
arrive at | reach
big | large
huge | enormous | immense | gigantic
quick | fast | rapid
quicker | faster
quickest | fastest
bigger | larger
biggest | largest
quickly | rapidly | swiftly
whole | entire
entirely | completely | totally | fully | wholly
ill | sick
inexpensive | cheap
expensive | costly
hazardous | dangerous
danger | hazard
toxic | poisonous
flammable | inflammable
mandatory | compulsory | obligatory
optional | not mandatory | not compulsory
forbidden | prohibited | banned | not allowed | not permitted
unnecessary | not necessary
essential | crucial | vital
enough | sufficient
insufficient | not enough | not sufficient
correctly | properly
incorrect | wrong | not correct
suitable | appropriate
unsuitable | not suitable
identical | exactly same
famous | well known
main | principal | chief
initial | first
extra | additional
previous | preceding | prior
subsequent | following
harmful | detrimental
rare | uncommon
illegal | unlawful | against law
legal | lawful
clever | intelligent
exactly | precisely
impossible | not possible
unsafe | not safe
unclear | not clear
unknown | not known
unlikely | not likely
incomplete | not complete
invalid | not valid
unavailable | not available
yearly | annual | annually | every year | per year
weekly | every week | per week
daily | every day | per day
monthly | every month | per month
hourly | every hour | per hour
nightly | every night | per night
usually | normally | typically | generally
often | frequently
seldom | rarely
sometimes | occasionally | at times
always | at all times
never | at no time
immediately | instantly | right away
currently | at present | at moment
beforehand | in advance | ahead of time
later | afterwards | afterward
again | once more
almost | nearly
only | solely | exclusively | nothing but
manually | by hand
simultaneously | at same time
free of charge | at no charge | for free | at no cost
every | each | at interval of
each other | one another
many | numerous | large number of | great many
per | for each | for every
about | approximately | roughly | circa
because | for reason that | on account of fact that
because of | due to | owing to | as result of
therefore | thus | hence | consequently | as result
although | even though | though | despite fact that | in spite of fact that
despite | in spite of
instead of | rather than | in place of
except | except for | with exception of | excepting
until | till | up until
before | prior to
near | close to
next to | beside | adjacent to
via | by way of
for example | for instance
provided | provided that | as long as | so long as | on condition that
if | in event that
unless | except if
regarding | concerning | with regard to | with respect to
according to | as per
worldwide | around world | throughout world | all over world
altogether | in total
anyone | anybody
nobody | no one
everyone | everybody
someone | somebody
error | mistake
photo | photograph
picture | image
car | automobile
doctor | physician
teacher | instructor
child | kid
job | occupation
folder | directory
email | e mail
website | web site
cellphone | mobile phone | cell phone
truck | lorry
gasoline | petrol
garbage | trash | rubbish
maize | corn
airplane | aeroplane
area | region
country | nation
company | firm
staff | personnel
author | writer
inhabitant | resident
component | part
middle | center
illness | disease
quantity | amount
goal | aim | objective
outcome | result
benefit | advantage
drawback | disadvantage | downside
rule | regulation
permission | consent
manufacturer | maker
maximum | max
minimum | min
information | info
application | app
administrator | admin
repository | repo
specification | spec
configuration | config
laboratory | lab
refrigerator | fridge
television | tv
telephone | phone
bicycle | bike
power cut | power outage | power failure
lawyer | attorney
prison | jail | gaol
midday | noon
forever | for ever
monday | mon
return | come back | go back | get back
dismount | get off
postpone | put off
visit | pay visit to
resume | pick up again
exclude | leave out
originate in | have origin in
breach | violate
abroad | overseas
nonetheless | nevertheless
perhaps | maybe
surname | last name | family name
hospital | infirmary
cemetery | graveyard
motorway | highway | freeway
holiday | vacation
sofa | couch
colleague | coworker | co worker
assistant | helper
expert | specialist
pilot project | trial project
deadline | time limit | cut off date
timetable | schedule
duration | length of time
purpose | intention
difference | distinction
password | passcode
username | user name | login name
filename | file name
database | data base
timestamp | time stamp
workspace | work space
lowercase | lower case
uppercase | upper case
plaintext | plain text
runtime | run time
subfolder | subdirectory
homepage | home page | start page
screenshot | screen capture
checkbox | check box | tick box
wifi | wi fi | wireless lan
cpu | processor
ram | main memory
url | web address
api | programming interface
id | identifier
tuesday | tue
thursday | thu
friday | fri
beverage | drink
"""


def _groups() -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(phrase.strip() for phrase in line.split("|"))
        for line in _EQUIVALENTS.strip().split("\n")
    )


EQUIVALENTS = _groups()
