"""Is a lower-cased word plain English, or somebody's name for something?

A compact list and the endings of English words decide; the grammar asks only about words that no other list knows.
"""

import re
from typing import Final

from hymem.models.rules import nouns, verbs
from hymem.models.rules import words as small
from hymem.models.rules.words import words

_COMMON: Final = words(
    """able absolute academic action active activity actor actual adult advanced advantage afraid age agent agenda agreement
    air alert algebra algorithm alone amazing analytics ancient angle angry animal ankle annual anxiety apartment apple apps
    april archive area arm army array art asset assistant athlete attitude audience audio author auto automatic autumn
    available average award aware baby bad bag ball band bar basic basket bath battery beach bean bear beautiful bed
    beef beer bell better bicycle big bike binary bird birthday black blank blind block blood blue board boat bold bone
    boot border boring bottle bottom bowl brain brand bread breakfast breath brick bridge brief bright broad broken
    brown browser brush bubble bulk bus bush busy button cable cake calendar calm camera candidate candle capable capital
    captain card career careful cargo carpet case cat catalog category cell central century certain certificate chain
    chair champion channel chapter character charge charity cheap cheese chef chemical chess chicken chief chocolate
    church circle citizen civil class classic classroom clay client clinic clock cloth clothes cloud club cluster coast coat
    coffee cold collection college colorful column comedy comfort comfortable commercial common communication community
    compact comparison complex computer concert concrete conference confident connection conscious constant consultant
    consumer container contract convenient cookie cool core corn corner correct cotton couch council counter couple
    courage course court cousin cover cream creative creator credit criteria critical crowd crucial cruise cryptic culture cup
    curious currency current curve custom customer cycle daily dairy damage danger dark dashboard dead deadline dear death
    debt deep default degree delicious democracy dental deployment depth desk desktop dessert detailed developer device
    diagram dialog dictionary diet digital dinner direct directory dirty disc discount disk distance diverse dock doctor
    dog dollar domain door double dozen dry due dusty duty dynamic eager ear early earth east easy economy edge education
    effective efficient egg elegant element elite emotion employee empty energy engine enterprise entire entity
    environment episode equal equation equipment essay estate ethical event evidence exact excellent exciting executive
    exotic expense expensive expert explicit extra eye fabric face factory fair faith famous fan fancy fantasy farm fashion
    fast fat favorite fear federal fee female fence festival fiber fiction field fight final finance financial fine finger
    fire firm fish fitness flag flash flat flavor flexible flight floor flour flower fluid folder folk food foot football
    foreign forest formal formula fortune forum forward foundation fourth frame free freelance french fresh fridge
    front frozen fruit full fun functional fund funny furniture fuzzy galaxy gallery game gap garage garlic gas gate
    general generation gentle genre giant gift girl glad glass global glory goal gold golf good graph gray great green
    grey grid grocery groceries gross gun gym habit hair half hall handful hanging happy hard hardware harmony harsh hat head
    health healthy heat heavy hell herb hero hidden high highway hill history hobby hole honest honey horror horse
    hospital hot hotel household huge human humor hundred hungry ice icon ideal identity idle illegal imagination immediate
    important impossible incident income independent index individual industry infinite infrastructure ingredient initial
    inner input insight instant insurance intelligence intense interactive interesting interface interior internal
    international internet interval invoice iron island jacket japanese jazz jeans jet jewelry joint joke journal
    journalist journey judge juice junior junk justice key keyboard kid king kitchen knee knife lab label lack ladder
    lady lake lamp landscape lane language laptop large late latest law lawyer layout lazy leader leadership leaf league
    leather lecture left leg legacy legal lemon lesson letter library license lifestyle lightweight likely limited line linear
    link lip liquid literary literature little lively living local location lock log logic lonely long loop loose loss
    loud low lucky luxury machine magazine magic main major male manager manual map margin market marriage mass master
    match material math matrix mature maximum meal meat mechanic media medical medicine medium meeting melody mental menu
    mess metal meter metric mid middle mild military milk million mini minimal minimum minor mirror missing mission mixed
    mobile mode modern modular module moment monthly mood moon moral motion motor mountain mouse mouth movie multi muscle
    museum music musical mystery narrative narrow nasty nation national native natural nature neat necessary neck negative
    nerve nest net network neutral news newsletter newspaper nice night noise noodle normal north nose note notebook notes
    novel nuclear null numeric nurse nut object ocean odd offline oil online opaque opera opinion optical option
    optional orange original other outdoor outer outfit output oven overall owner page pain pair panel panic pants
    paper parallel parent park parking partial partner party passive password past pasta path patient peace peer
    pen pencil pepper perfect permanent personal personality perspective pet phase phone photographer phrase physical
    piano pie piece pig pilot pink pipe pipeline pizza plain plane planet planner planning plastic plate platform player
    pleasant pleasure plenty plot plugin pocket poem poet poetry point policy polite political pool poor popular port
    portable portfolio portion positive possible pot potato potential powerful practical precise preference premium
    presence president pretty previous primary prime principle prior private prize pro problem processor producer
    product production productivity professional professor profit progress prominent prompt proof proper property protein
    prototype proud public pure purple puzzle quality quarter queen quick quiet quota race rack radio rain random rapid rare
    raw ready real reality reasonable recent recipe recursive red redundant reference region regular related relational
    relationship relevant reliable religion remote repeat reporter residual resource responsible restaurant resume
    rice rich ridge right ring rise risk risky river road robot robust romantic roof room root rope rough round router
    routine row royal rubber runtime rural sad safe safety salad salary sale salmon salt sample sandbox sandwich scene
    schema scholar scholarship school science scientist scope screen screenplay script sea seafood season seat secondary secret
    section sector security seed self senior sensible sensitive separate series serious servant session several sharp
    sheet shell shelf shirt shock shoe shoes short shoulder shower shy sick side signal silent silly silver similar simple
    single singer sister site size skin sky sleeve slice slow small smart smooth snack snow soap soccer social society
    sock sofa soft software soil solar soldier solid sole solo song soul sound soup south spare special specific spectrum
    speech spice spirit spiritual spoon spreadsheet spring square stable staff stage stair stake standard star startup
    static station status steak steam steel stem stereo stick stomach stone storage store storm storyteller strange
    strategic strategy street strength strict strong structural student studio stupid subject subscription substantial
    subtle suburban success sudden sugar suit suite summary summer sun sunny super supply surface sweater sweet sweets
    swift symbol symptom syntax system table tablet tail tale talent tall tank tape taste tea teacher teammate tech
    technical technology telephone television temporary tennis tension terminal terrible territory text textbook theater
    theme theory therapist therapy thick thin third thought thread ticket tidy tight tiny tip tire tissue title toast
    token tomato tone tool tooth top topic tough tour tourist tower toy tradition traditional traffic trailer transaction
    transparent transport trash tree trend triangle tricky trip tropical truck true trust truth tube tuition tune tutor
    tutorial twin ugly ultimate unable uncle uniform unique unit universe university unknown unusual urban urgent useful
    usual vague valid valley vegetable vegetables vehicle vendor verb version vertical video village violence virtual
    virus visa vision visual vital vocabulary volume volunteer wall wallet war warm waste watch wave weak wealth weapon
    weather web website wedding weight weird west wet wheel white wide widget wife wild wind window wine wing winner
    winter wise wonderful wood wooden wool word workbook worker workflow workout workshop worse worst wrist writer wrong
    further additional sure concern concerns role roles bias date dates username emergency growth cultural film films luck length
    lengths login car burnout regard regards criterion worth ethics oversight aside smaller first height stakeholder full
    etc showcase catch privacy usage expertise joy timeline done delivery opposite appropriate scalene isosceles thorough
    bullet hybrid trilogy lower larger welcome easier deeper overview foster faster grant cozy shorter geometry theorem
    holiday trial constraint campaign buffer header headers beta momentum greater realistic pace particular accurate
    testimonial breakdown credential endpoint morale revenue anecdote gender external passionate beauty rental behavioral
    compromise triangular proposal closer quote difficult contest urgency timeout entry gains nook bedtime steady biz
    frequency coupon width strain cute genuine belief alive empathy grammar privilege timer fellow detox epic font mindset
    blueprint employer pitch gear picnic mutual sidebar bonus logistics paragraph older highest ample rationale cast
    wider typo impulse appeal unfair statistics breach irregular paycheck pottery recap slot gritty revenge sprint
    quiz trait threat deposit caffeine pop admin biggest claim inquiry kickoff false younger recovery nearby vegan workday
    medieval generic handwritten burden prequel novella cushion bigger scary huh yummy distinct limiter acute receipt
    crisis orphan acronym spa ruler headline abroad force homemade allergic almond bookshelf venue moderate rentals
    aid vigor freezer refrigerator exam thriller injury scenario smartphone envelope belt passport surplus vast artwork
    bin origin monolith anchor ethnic guts tab approval theft substitute perk seminar microphone undergraduate
    dilemma bookstore cafe refund bedroom dish avocado olive console handler bisector reunion metaphor saga guilty
    essential pup congrats horizon doubt bummer whatever alright hustle trail fuel placeholder composite newly
    protocol doc poll whiteboard prospect tablespoon duplicate attribute filename toolbar director uncertain campus
    curriculum graphic wherever driver daytime bouquet parade grace safer beginner harder sooner simpler sponsor creamy
    middleware lens screenshot demo norm disparate monster hunter bound elsewhere meetup god era alcohol cent
    discipline triple homework climate slight hygiene violin necklace electric hunt tasty urge trophy rainbow hometown
    butter boy storyline scarf anywhere hash footer fundamental vice compass slope grade robotics informal jargon
    sticky intellectual freelancer backdrop scientific prose lore thief murder divine wizard asleep modest pillow fresher
    sauce malware cucumber carrot instructor decor parsley happier poster grand plunge laugh brigade raspberry turtle
    trivia checkpoint roll payload clutter codebase conditional dot horizontal blur contrast fingerprint facial
    fashioned unequal largest inverse straight calculator locus guarantee earliest airport apart rural trainer guest
    predict basis confidential brutal evil betrayal suspense crime diary fraud ritual yes cue blanket ginger turkey grain
    breast dice sugar kernel reboot damn chip printer adapter sane floppy muted prefix packet clue god idiot arrow shit
    mixer burner mic relay bandwidth daemon chipset easiest shortcut forth altogether failsafe emulator multiplier amplifier
    headset backspace touchpad bootloader installer repo launcher taskbar hostname mac gui libs lib packages stranger
    firmware adapter pause script jack attack emerald crew cousin meditation zen bass chord guitar drummer hiker pasta
    thanksgiving christmas halloween carefree upside toiletries spell spells wings ping farther tattoo chilling contacts
    inclusivity generations generation self-acceptance kindness gratitude warmth laughter creativity sunset sunrise hug
    swap zebra quick bot ml ai laptop tablet spouse kiddo folks dude bro lol yay wow aww haha hehe
    yard yellow yoga young zero zone mocks spaces tabs emojis mouse everyday tv gluten dairy lactose meditation nap"""
)
_KNOWN: Final = (
    _COMMON | small.CLOSED | small.WEAK_ADJECTIVES | small.TIME_WORDS | nouns.VAGUE | nouns.PEOPLE | nouns.ROLES
    | nouns.PROJECT_HEADS | nouns.TEAM_HEADS | nouns.UNITS | frozenset(verbs.VERBS)
)  # fmt: skip
_ENDING: Final = re.compile(
    r"(?:ing|ed|ly|tion|sion|ness|ment|able|ible|ful|ity|ies|ous|ive|ism|ist|ance|ence|ship|less|ish|ward|wards|ally|"
    r"ical|ology|graphy|hood|ary|ory|ure|ant|ent|age|dom|ian|ette|ess|ess?es|er|or|est|ial|ual|ional|ics|ify|ize|ized|ise)s?$"
)


def is_english(word: str) -> bool:
    """Whether a lower-cased word, or its singular, is a common word or is built like one."""
    return (
        word in _KNOWN
        or word.removesuffix("s") in _KNOWN
        or word.removesuffix("es") in _KNOWN
        or (word.endswith("ies") and word[:-3] + "y" in _KNOWN)
        or (len(word) > 5 and _ENDING.search(word) is not None)
    )
