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
accept accompany achieve add adjust affect aim align allocate announce apply appoint approve
arrange arrive ask assign attach avoid award back bake beat become begin believe belong block boil
book boot borrow break bring broadcast browse build burn buy cache calculate calibrate call cancel
capture carry catch cause change charge check choose clamp clean clear click climb clone close
collect combine come compare compile complete compress compute conduct configure confirm connect
consider consult contain continue control convert cook cool copy cost count cover create crop
cross cut cycle damage deactivate debug decide declare decrease define delay delete deliver deny
depend deploy describe design destroy detach detect determine develop die disable disappear
disassemble discard discharge disconnect discover dismantle display dissolve divide do download
drain draw drink drive drop dry earn eat edit elect eliminate empty enable encode encrypt end
enforce engage ensure enter erase escape establish estimate evaluate examine exceed exchange
execute exist expand expect expire explain explore export expose extend extinguish extract face
fail fall fasten feed fetch fill filter find finish fire fit fix float flow flush fly fold follow
force form format forward found freeze gain gather generate get give go grant grind grow handle
hang happen have heat help hide hit hold import improve include increase indicate inform insert
inspect install introduce invent invite invoke isolate issue join jump keep kill know label land
last launch lead leak learn leave lend let lie lift limit link list listen live load locate lock
log look loosen lose lower lubricate maintain make manage manufacture mark match measure meet melt
merge mix modify monitor mount move multiply need notify number obtain occur offer open operate
order overwrite own pack park pass pause pay perform permit pick place plan plant play plug point
pour power prefer prepare press prevent prime print process produce program prohibit promise
protect prove provide publish pull pump purchase push put raise ran reach react read receive
recharge recommend record reduce refer reflect refund refuse register reject release rely remain
remember remind remove rename render rent repair repeat replace reply report represent request
require reserve reset reside resist resolve respond restart restore restrict result resume retain
retry return reveal review rewrite ride rinse rise rotate run save say scan schedule seal search
secure see seek select sell send separate serve set share shake shift ship show shut sign sink sit
skip sleep slide slow soak solve sort speak specify spend spin spread stand start state stay steer
step stick stir stop store strike submit subtract suffer suggest supply support surround survive
swap switch take tap teach tell tend test think throw tie tighten touch track trade train transfer
translate transmit transport travel treat trigger trim try turn type understand undergo undo
uninstall unlock unplug unscrew update upgrade upload use validate vanish vary verify view visit
wait wake walk want warn wash watch water wear weigh win wipe withdraw work wrap write yield
"""
VERB_WORDS = tuple(_VERBS.split())
