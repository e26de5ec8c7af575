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
    "according to the documentation",
    "according to the text",
    "according to the book",
    "according to the manual",
    "according to the passage",
    "according to the evidence",
    "according to the source",
    "the documentation says that",
    "the documentation states that",
    "the text says that",
    "the text states that",
    "the book says that",
    "the book states that",
    "the manual says that",
    "the manual states that",
    "the passage says that",
    "the passage states that",
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
ARTICLES = frozenset({"a", "an", "the"})
DETERMINERS = frozenset({"this", "these", "those", "your", "our", "my"})
POSSESSIVES = frozenset({"its", "their", "his", "her"})
PRONOUNS = frozenset({"it", "they", "he", "she"})
NEGATIONS = frozenset(
    {"not", "no", "never", "none", "neither", "nor", "without", "nothing", "neednot"}
)
MODALS = frozenset({"must", "can", "may", "might", "could", "should", "would", "neednot", "ought"})
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
GENERIC_HEADERS = frozenset(
    {"value", "setting", "default", "detail", "description", "meaning", "property", "parameter"}
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
# Verbs that show where a clause's subject ends and which sentences give an order.
_VERBS = """
abandon absorb accelerate accept access accompany achieve activate adapt add adjust adopt advise
affect age agree aim alert align allocate announce answer appear apply appoint approve arrange
arrive ask assemble assess assign assist assume attach attack attract avoid award back bake bear
beat become beep begin believe belong bind blink block blow boil book boot borrow bounce brake break
breathe brew bring broadcast browse build burn bury buy cache calculate calibrate call cancel
capture carry carve catch cause celebrate change charge chase check choose claim clamp clean clear
click climb clone close collapse collect combat combine come commit communicate compare compile
complain complete compress compute conduct configure confirm confuse connect conquer consider
consist consult consume contain continue contribute control convert cook cool cooperate copy correct
cost count cover crash crawl create crop cross cure cut cycle damage dance deactivate debug decay
decide declare decorate decrease defeat defend define delay delete deliver demand demolish deny
depend deploy derive describe design destroy detach detect determine develop die differ dig direct
disable disappear disassemble discard discharge disconnect discover discuss dismantle display
dissolve distribute dive divide do double download drain draw drift drink drive drop dry earn eat
edit elect eliminate emit employ empty enable encode encourage encrypt end enforce engage ensure
enter erase erupt escape establish estimate evacuate evaluate evaporate evolve examine excavate
exceed exchange execute exist expand expect expire explain explore export expose extend extinguish
extract face fade fail fall fasten feed fetch fight fill filter finance find finish fire fit fix
flash float flood flourish flow flush fly fold follow forbid force forecast forge forgive form
format forward found freeze gain gather generate get give glow go govern grab grant greet grind grip
grow guard guide halt handle hang happen harm harvest hatch have heal heat help hide hit hold host
hunt ignite ignore illuminate import impress improve include increase indicate inform inhabit
inherit inject injure insert inspect inspire install intend interrupt introduce invade invent invest
investigate invite invoke irrigate isolate issue join judge jump keep kick kill knock know label
lack land last launch lead leak learn leave lend let lie lift light limit link list listen live load
locate lock log look loosen lose lower lubricate maintain make manage manufacture mark match measure
meet melt merge migrate mine miss mix modify monitor mount move multiply need negotiate nest notify
number obey object observe obtain occupy occur offer open operate order organize oscillate overflow
overheat overwrite own pack paint park participate pass patent pause pay penetrate perform permit
persuade photograph pick place plan plant play plead plug point polish pollinate pollute pour power
prefer prepare preserve press prevail prevent prime print proceed process produce program prohibit
promise propose protect prove provide publish pull pump punish purchase pursue push put race raise
ran reach react read reappear rebel rebuild receive recharge recognize recommend record recover
recycle redirect reduce refer refill reflect refund refuse register reign reject relax release rely
remain remember remind remove rename render rent repair repeat repel replace reply report represent
request require rescue resemble reserve reset reside resign resist resolve respect respond restart
restore restrict result resume retain retry return reuse reveal review rewrite ride rinse rise
rotate rule run rust sail save say scan scatter schedule score scrub seal search secure see seek
seize select sell send separate serve set settle shake share shelter shift shine ship shoot show
shrink shut sign sing sink sit skip sleep slide slow smell smoke snow soak solve sort sound speak
specify speed spend spill spin split spray spread squeeze stand start starve state stay steer stem
step stick stir stop store stretch strike study submit subtract succeed sue suffer suggest supply
support surrender surround survive swap swell swim swing switch take tap taste teach tear telephone
tell tend test think throw tie tighten tolerate touch trace track trade train transfer transform
translate transmit transport trap travel treat trigger trim try turn turnoff turnon type undergo
understand undo uninstall unite unload unlock unplug unscrew update upgrade upload use validate
vanish vary verify vibrate view visit volunteer vote wait wake walk wander want warm warn wash waste
watch water wear weigh whistle win wipe withdraw work worry wrap wreck write yield
"""
VERB_WORDS = tuple(_VERBS.split())
