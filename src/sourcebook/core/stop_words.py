"""The words that say nothing about what a text is about, by language.

BM25 weighs frequent words down by itself; without these the index is smaller, and pairs of
neighbouring words join words with meaning. Languages that are missing here do without.
"""

_ENGLISH = """
a about above after again all also although am among an and another any are as at be because been
before being below between both but by can could did do does doing done down during each either
else even ever every few for from further get gets got had has have having he her here hers
herself him himself his how however i if in into is it it's its itself just let may me might more
most much must my no not of off often on once only onto or other others our ours out over own per
quite rather really same shall she should since so some such than that that's the their theirs them
themselves then there there's therefore these they this those though through thus to too toward
towards under until up upon us very via was we were what what's when where whereas whether which
while who whom whose why will with within would yet you your yours yourself
don't doesn't didn't can't cannot isn't aren't wasn't weren't won't wouldn't shouldn't couldn't
"""
_GERMAN = """
aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann
das dass dein deine dem den der des dessen die dies diese diesem diesen dieser dieses doch dort du
durch ein eine einem einen einer eines er es etwas euch euer für gegen hab habe haben hat hatte
hier hin hinter ich ihm ihn ihnen ihr ihre im in indem ins ist jede jedem jeden jeder jedes jetzt
kann kein keine können könnte man mehr mein meine mich mir mit muss müssen nach nicht nichts noch
nun nur ob oder ohne sehr sein seine sich sie sind so soll sollte sondern sonst über um und uns
unser unter vom von vor war waren warum was weil welche welcher wenn wer werden wie wieder will wir
wird wo wurde würde zu zum zur zwischen
"""
_FRENCH = """
à afin ai ainsi alors au aucun aussi autre aux avec avoir car ce cela ces cet cette ceux chaque
comme comment d'un d'une dans de depuis des deux donc dont du elle elles en encore entre est et été
être eu fait il ils je l'on la le les leur leurs lors lui ma mais me même mes moi moins mon ne ni
non nos notre nous on ont ou où par pas peu peut plus pour pourquoi qu'il que quel quelle quels qui
sa sans se sera ses si son sont sous sur ta tandis te tes toi ton tous tout toute très trop tu un
une vers votre vos vous y
"""
_SPANISH = """
a al algo algunos ante antes así aún aunque bajo bien cada como cómo con contra cual cuál cuando
cuándo de del desde donde dónde durante e el él ella ellas ellos en entre era es esa ese eso esta
está están este esto estos fue ha hace hacia han hasta hay la las le les lo los más me mi mientras
muy nada ni no nos nosotros o os otra otro para pero poco por porque puede pueden qué que quien se
según ser si sí sido sin sobre son su sus también tan tanto te tiene tienen todo todos tu tus u un
una uno unos y ya yo
"""
_ITALIAN = """
a ad agli ai al alla alle allo anche ancora avere c'è che chi ci come con cosa così cui da dagli dai
dal dalla dalle degli dei del della delle dello di dopo dove due e è ed era essere fino fra gli ha
hanno ho i il in io l'un la le lei li lo loro lui ma me mentre mi mia mio molto ne nei nel nella
nelle no noi non nostro o ogni per perché però più poi qual quale quali quando quanto quella quello
questa queste questi questo qui se sei senza si sia solo sono sopra sotto su sua sue sugli sui sul
sulla suo tra tu tutti tutto un una uno vi voi
"""
_PORTUGUESE = """
a à ainda ao aos apenas após as às até cada com como contra da das de dela dele depois desde do dos
durante e é ela elas ele eles em entre era essa esse esta está este eu foi foram há isso isto já lhe
mais mas me mesmo meu minha muito na nas não nem no nos nós o onde os ou para pela pelas pelo pelos
pode por porque quais qual quando que quem são se seja sem ser seu seus só sob sobre sua suas também
te tem todo todos tu tudo um uma você
"""
_DUTCH = """
aan al alle als altijd ben bij daar dan dat de der deze die dit doch doen door dus een en er geen
had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kunnen maar me meer men met mij
mijn moet na naar niet niets nog nu of om omdat ons ook op over te tegen toch toen tot u uit uw van
veel voor want waar waarom wanneer waren was wat we werd wie wij wil worden wordt ze zal zich zij
zijn zo zou
"""
_SWEDISH = """
alla allt att av bara blev bli blir de dem den denna deras dess det detta dig din dina du där då
efter ej eller en er ett från för ha hade han har hon honom hur här i icke in inte ja jag kan man
med mellan men mig min mina mot mycket ni nu när någon något några och om oss på samma sedan sig sin
sina ska skulle som så till under upp ut utan vad var varför varje vem vi vid vilka vilken är över
"""
_DANISH = """
ad af alle alt at blev blive bliver da de dem den denne der deres det dette dig din disse dog du
efter eller en end er et for fra ham han hans har havde hende her hos hun hvad hvis hvor hvordan
hvorfor i ikke ind ja jeg jo kan man mange med meget men mig min mod må ned noget nogle nu når og
også om op os over på sig sin skal som sådan til ud under var vi vil ville vor være været
"""
_NORWEGIAN = """
alle at av bare begge ble blir både da de dem den denne der deres det dette di din disse du eller en
enn er et etter for fordi fra før ha hadde han hans har hennes her hun hva hvem hver hvilken hvis
hvor hvordan hvorfor i ikke inn ja jeg kan man mange med meg mellom men min mot mye må ned noe noen
nå når og også om opp oss over på samme seg selv si siden sin skal skulle slik som så til ut uten
var ved vi vil ville vår være vært å
"""
_RUSSIAN = """
а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до
его ее ей если есть еще же за здесь и из или им их к как какая какой ко когда кто ли либо мне может
мы на над надо наш не него нее нет ни них но ну о об однако он она они оно от очень по под при с со
так также такой там те тем то того тоже той только том ты у уже хотя чего чей чем что чтобы чье эта
эти это этого этой этом я
"""
STOP_WORDS = {
    "english": frozenset(_ENGLISH.split()),
    "german": frozenset(_GERMAN.split()),
    "french": frozenset(_FRENCH.split()),
    "spanish": frozenset(_SPANISH.split()),
    "italian": frozenset(_ITALIAN.split()),
    "portuguese": frozenset(_PORTUGUESE.split()),
    "dutch": frozenset(_DUTCH.split()),
    "swedish": frozenset(_SWEDISH.split()),
    "danish": frozenset(_DANISH.split()),
    "norwegian": frozenset(_NORWEGIAN.split()),
    "russian": frozenset(_RUSSIAN.split()),
}
