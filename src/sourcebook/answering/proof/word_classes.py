"""What words do in a sentence: which deny, condition, hedge, join or begin a clause."""

# These say nothing that could be wrong, wherever they stand.
HARMLESS_WORDS = frozenset({"also", "simply", "please", "however", "furthermore", "moreover"})
# And these at the beginning of a sentence. `In general` is a hedge and not among them.
HARMLESS_OPENINGS = (
    "note that",
    "please note that",
    "remember that",
    "be aware that",
    "keep in mind that",
    "it is important to note that",
    "it should be noted that",
    "as noted",
    "as mentioned",
    "as described",
    "in addition",
    "additionally",
    "in other words",
    "in short",
    "in fact",
    "indeed",
    "yes",
    "note",
    "important",
    "warning",
    "caution",
    "tip",
)
# What evidence may be called: `according to the guide`, `the notes say that`.
EVIDENCE_NOUNS = frozenset(
    {"documentation", "document", "documents", "docs", "text", "book", "manual", "passage", "guide"}
    | {"evidence", "source", "sources", "notes", "article", "page", "section", "chapter", "excerpt"}
    | {"instructions", "handbook", "leaflet", "description", "report", "recipe", "rules"}
)
ARTICLES = frozenset({"a", "an", "the"})
DETERMINERS = frozenset({"this", "these", "those", "your", "our", "my"})
POSSESSIVES = frozenset({"its", "their", "his", "her"})
PRONOUNS = frozenset({"it", "they", "he", "she"})
NEGATIONS = frozenset(
    {"not", "no", "never", "none", "neither", "nor", "without", "nothing", "neednot"}
)
MODALS = frozenset(
    {"must", "can", "may", "might", "could", "should", "would", "neednot", "ought", "beallowed"}
)
CONDITIONS = frozenset(
    {"if", "unless", "until", "when", "whenever", "only", "except", "provided", "before", "after"}
    | {"once", "while", "where", "wherever", "whether", "otherwise", "depending", "assuming"}
)
HEDGES = frozenset(
    {"some", "most", "few", "many", "several", "usually", "often", "sometimes", "seldom", "almost"}
    | {
        "about",
        "perhaps",
        "maybe",
        "possibly",
        "probably",
        "likely",
        "unlikely",
        "partly",
        "mostly",
    }
    | {"mainly", "rather", "quite", "nearly", "supposedly", "allegedly", "reportedly", "apparently"}
    | {"hardly", "barely", "scarcely", "half", "a few", "a little", "seem", "appear", "planned"}
    | {"tend", "at least", "at most", "alone", "just", "even", "yet", "still", "ever", "any", "all"}
)
ATTRIBUTIONS = frozenset(
    {"say", "believe", "claim", "think", "suggest", "report", "argue", "assume", "suppose", "doubt"}
    | {"feel", "felt", "swear", "swore"}
    | {"deny", "allege", "state", "expect", "propose", "hope", "fear", "guess", "pretend", "plan"}
    | {"according", "myth", "legend", "rumor", "dream", "imagine", "want", "intend", "whether"}
    | {"false", "untrue", "wrong", "unlikely", "possible", "question", "dispute", "wonder", "story"}
    | {
        "consider",
        "seem",
        "appear",
        "recommend",
        "advise",
        "ask",
        "know",
        "might",
        "would",
        "could",
    }
)
SUBORDINATORS = frozenset(
    {"if", "unless", "until", "when", "whenever", "while", "before", "after", "because", "since"}
    | {"although", "once", "provided", "where", "wherever", "whereas", "so that"}
)
PREPOSITIONS = frozenset(
    {"of", "in", "on", "at", "to", "from", "by", "for", "with", "without", "into", "onto", "over"}
    | {"under", "above", "below", "between", "among", "through", "during", "within", "against"}
    | {"along", "across", "behind", "beyond", "near", "per", "via", "as", "than", "about", "around"}
    | {"upon", "toward", "off", "out", "up", "down", "inside", "outside", "except", "despite"}
    | {"regarding", "besides", "throughout", "like"}
)
TIME_ADVERBS = frozenset({"daily", "weekly", "monthly", "yearly", "hourly", "nightly"})
COORDINATORS = frozenset({"and", "or", "but", "nor", "so"})
RELATIVES = frozenset({"which", "who", "whom", "whose", "that"})
# What two together do: `A and B meet` does not say that A meets.
COLLECTIVE_WORDS = frozenset(
    {"between", "together", "both", "same", "other", "meet", "form", "differ", "vary", "combine"}
    | {"consist", "total", "sum", "equal", "share", "alternate", "compete", "agree", "mix", "join"}
    | {"separate", "similar", "different", "identical", "respectively", "average", "marry"}
    | {"balance", "match", "connect", "cooperate", "mixture", "make", "compose", "couple", "pair"}
    | {"compare", "contrast", "distance", "ratio", "only", "not", "or", "no", "never", "without"}
    | {"than", "if", "unless", "exactly", "all", "choose", "either", "any", "half"}
)
MEASURE_VERBS = {"weigh": "weight", "cost": "price"}
MEASURE_ADJECTIVES = {
    "long": "length",
    "wide": "width",
    "high": "height",
    "tall": "height",
    "deep": "depth",
    "thick": "thickness",
}
CONVERSES = {
    "bigger": "smaller",
    "higher": "lower",
    "longer": "shorter",
    "quicker": "slower",
    "heavier": "lighter",
    "older": "younger",
    "better": "worse",
    "greater": "less",
    "taller": "shorter",
    "stronger": "weaker",
    "warmer": "colder",
    "hotter": "colder",
    "more": "less",
    "wider": "narrower",
    "deeper": "shallower",
    "thicker": "thinner",
    "louder": "quieter",
    "earlier": "later",
    "brighter": "darker",
}
DATIVE_VERBS = frozenset(
    {"send", "give", "lend", "show", "offer", "tell", "teach", "pay", "bring", "hand", "pass"}
    | {"grant", "assign", "award", "sell", "supply"}
)
# Verbs whose particle may stand before or after what is done to.
PHRASAL_VERBS = frozenset(
    {"turn on", "turn off", "turn up", "turn down", "turn over", "switch on", "switch off"}
    | {"power on", "power off", "power up", "power down", "shut down", "shut off", "close off"}
    | {"start up", "back up", "set up", "clean up", "pick up", "lock up", "wind up", "fill up"}
    | {"speed up", "slow down", "heat up", "cool down", "pull down", "take down", "tear down"}
    | {"write down", "note down", "fill in", "fill out", "plug in", "push in", "put out"}
    | {"carry out", "point out", "find out", "hand out", "sort out", "rinse out", "take out"}
    | {"pull out", "cross out", "rule out", "put off", "take off", "cut off", "seal off"}
    | {"call off", "put on", "take away", "throw away", "wipe away", "wash away", "clear away"}
)
GENERIC_HEADERS = frozenset(
    {"value", "setting", "detail", "description", "meaning", "property", "parameter"}
)
# Words that are never shortened: their form is what they say.
FIXED_WORDS = (
    NEGATIONS
    | MODALS
    | CONDITIONS
    | SUBORDINATORS
    | PREPOSITIONS
    | COORDINATORS
    | RELATIVES
    | PRONOUNS
    | POSSESSIVES
    | frozenset(CONVERSES)
    | frozenset(CONVERSES.values())
)
# Kinds of places that stand before a name: `the village of Udd`. All are their own keys.
PLACES = frozenset(
    {"villag", "town", "city", "hamlet", "river", "lake", "island", "county", "district"}
    | {"provinc", "parish", "valley", "state", "country", "mountain", "municipality", "borough"}
)
# Verbs that show where a clause's subject ends and which sentences give an order.
_VERBS = """
abandon absorb accelerate accept access accompany accumulate achieve activate adapt add adjust admit
adopt advance advise affect age agree aim alert align allocate allow alter amend anchor announce
answer appear append apply appoint approve argue arise arouse arrange arrive ascend ask assemble
assert assess assign assist assume attach attack attempt attend attract authorize automate avoid
await award back bake bang bathe bear beat become beep beg begin behave believe belong bend bet bind
bite blame blend bless blink block bloom blow boast boil bolt book boost boot borrow bother bounce
brake break breathe brew bring broadcast browse brush build burn burst bury buy cache calculate
calibrate call cancel capture carry carve cast catch cater cause cease celebrate certify challenge
change charge chase check cheer chew chill choose chop cite claim clamp clarify clean clear click
climb cling clog clone close clutch collapse collect collide colonize comb combat combine come
comfort commit communicate compare compensate compete compile complain complement complete comply
compose compress comprise compute conceal conclude conduct confess configure confine confirm conform
confront confuse congratulate connect conquer consent consider consist constitute construct consult
consume contain continue contribute control convert convey convince cook cool cooperate coordinate
copy correct correspond corrode corrupt cost count cover crack cram crash crawl creak create creep
crop cross crouch crumble crush cultivate cure curl customize cut cycle damage dance dare dash
deactivate debate debug decay decide declare decline decode decorate decrease decrypt dedicate deem
defeat defend defer define deflate degrade delay delegate delete delight deliver demand demolish
denote deny depart depend depict deploy deprecate deprive derail derive descend describe deserve
design designate destroy detach detect deteriorate determine develop devise devote diagnose dictate
die differ dig digest dilute dip direct disable disagree disappear disassemble discard discharge
disconnect discontinue discourage discover discuss disguise dislike dismantle dismiss dispatch
disperse display dispose disrupt dissipate dissolve distil distill distinguish distort distribute
disturb dive divide do dominate donate double doubt download drag drain draw dread drift drink drip
drive drop drown dry duplicate dwell earn eat edit elapse elect elevate eliminate embark embed
embrace emerge emit emphasize employ empty enable enclose encode encounter encourage encrypt end
endanger endure enforce engage enjoy enlarge enlist enqueue enrich enroll ensure entail enter
entertain envisage equip erase err erupt escalate escape establish estimate evacuate evaluate
evaporate evolve exaggerate examine excavate exceed excel exchange exclude excuse execute exempt
exert exhaust exhibit exist expand expect expel expire explain explode exploit explore export expose
express extend extinguish extract extrude face facilitate fade fail fall falsify famish fasten feed
feel ferment fetch fight fill filter finalize finance find finish fire fit fix flash flatten flee
flicker flip float flock flood flourish flow flush flutter fly foam focus fold follow forbid force
forecast forge forget forgive form format formulate forward foster found fracture freeze fry furnish
fuse gain gather gaze generate germinate get give glance glaze gleam glide glint glow glue go gossip
govern grab graduate grant grasp graze greet grind grip groan grow grumble guarantee guard guess
guide gutter halt halve hammer handle hang happen harden harm harvest hasten hatch hate haul have
heal hear heat help hesitate hibernate hide highlight hinder hire hiss hit hoist hold hop host hover
hug hum hunt hurry hurt identify ignite ignore illuminate illustrate imagine imitate imply import
impose impress imprison improve include increase indicate induce infect infer inflate influence
inform ingest inhabit inhale inherit initialize initiate inject injure insert insist inspect inspire
install instantiate instruct insulate insure integrate intend interact interfere interpret interrupt
intervene introduce invade invent invert invest investigate invite invoke involve irrigate irritate
isolate issue itch iterate jam jog join judge jump justify keep kick kill knead kneel knit knock
know label lack lag lament land lash last lather laugh launch lay lead leak lean leap learn lease
leave lend lengthen lessen let liberate lick lie lift light limit linger link list listen live load
localize locate lock lodge log look loom loop loosen lose lower lubricate lure maintain make manage
manipulate manufacture march mark marry mash match mature measure mediate meet melt mend mention
merge migrate milk mimic mine minimize mislead miss mistake mix moan mock modify moisten monitor
moor mop mould mount mourn move mow multiply mute mutter navigate need neglect negotiate nest nibble
nod normalize notarize note notice notify nourish number obey object obscure observe obstruct obtain
occupy occur offend offer omit ooze open operate opt optimize order organize originate oscillate
oust outline outlive outnumber outweigh overcome overflow overhaul overheat overlap overlook
override oversee overtake overwrite owe own oxidize pack paint park parse participate pass paste
pasteurize pat patent pause pave pay peak peck peel peer penetrate perceive perform perish permit
persist persuade photograph pick pickle pierce pinch ping place plait plan plant play plead please
pledge pluck plug plunge point poison polish pollinate pollute polymerize pop populate possess
postpone pound pour power practice praise pray preach precede precipitate predict prefer preheat
preload prepare preserve press presume pretend prevail prevent prick prime print prioritize proceed
process proclaim procure produce program prohibit prolong promise promote prompt pronounce propagate
propose prosper protect prove provide provision provoke prune publish pull pump puncture punish
purchase puree purge purify pursue push put qualify quarrel quench quit quote race radiate rain
raise ran ravage reach react read realize reappear reassure rebase rebel reboot rebuild rebuke
recall recede receive recharge reckon recline recognize recommence recommend recompute reconnect
record recover recruit rectify recur recycle redirect reduce refactor refer refill refine reflect
refrain refresh refund refuse regain register regret regulate rehearse reheat reign reinforce
reissue reject relate relaunch relax relay release relent relieve relocate rely remain remark
remember remind remove rename render renew renounce rent reopen repair repay repeat repel replace
replicate reply report represent repress reproduce repulse request require rescue resemble resent
reserve reset reside resign resist resolve resort respect respond rest restart restore restrict
result resume retail retain retire retreat retrieve retry return reunite reuse reveal review revise
revive revoke revolve reward rewrite rid ride ring rinse rip ripen rise roam roar roast rob rock
roll rollback rot rotate rub rule run rush rust sail sand sanitize satisfy saturate save say scan
scare scatter schedule scoop scorch score scrape scratch scream screw scroll scrub seal sear search
secure see seek seize select sell send separate serialize serve set settle sew shake share sharpen
shave shed shelter shelve shield shift shine ship shiver shock shoot shorten shout shovel show shred
shrink shrug shuffle shut sieve sift sigh sign simmer simplify simulate sing sink sit skewer skim
skip slam slap sleep slice slide slip slow smell smile smoke snap sneak sneeze sniff snow soak
soften solve soothe sort sound sow spare span spawn speak specify speed spend spill spin spit splash
split spoil sponsor spool spray spread sprinkle sprout squash squeeze stab stack stain stand
standardize stare start starve state stay steal steep steer stem step stew stick stiffen stimulate
sting stipulate stir stitch stoop stop store strap stray streamline strengthen stretch strike strip
strive stroke struggle strum study stumble submit subscribe subside substitute subtract succeed suck
sue suffer suffice suggest summarize summon supersede supervise supply support suppress surge
surpass surprise surrender surround survive suspect suspend sustain swallow swamp swap swear sweat
sweep swell swim swing swipe switch symbolize sympathize synchronize tabulate tackle take tame
tangle tap taper taste teach tear tease telephone tell tempt tend terminate test testify thank thaw
thicken think threaten thresh thrive throttle throw tick tickle tie tighten tilt tinker toggle
tolerate toss touch tow trace track trade train transfer transform translate transmit transport trap
travel tread treat tremble trigger trim triple truncate try tuck tumble turn turnoff turnon tweak
twirl twist type unblock uncover undergo understand undo unfold unify uninstall unite unlink unload
unlock unmount unpack unplug unpublish unregister unscrew unsubscribe unveil unwind unzip update
upgrade uphold upload urge use utter vaccinate validate vanish vary vend ventilate venture verify
vibrate view violate visit volunteer vote wag wait wake walk wander want warm warn warp wash waste
watch water weaken wear weave weigh weld whip whisk whisper whistle widen win wipe wish withdraw
work worry worship wrap wreck wrestle write yell yield
"""
VERB_WORDS = tuple(_VERBS.split())
