"""Common nouns by what they are worth as a name: too vague to keep, a person, a tool's role, a unit.

A graph of "thing" and "problem" remembers nothing; these lists keep such words from becoming entities.
"""

from typing import Final

from hymem.models.rules.words import TIME_WORDS, words

VAGUE: Final = (
    words(
        """thing stuff way bit lot kind sort issue problem question idea opportunity chance example case fact reason
        point part side end start beginning rest result outcome trick excuse moment advantage approach method technique
        word term sense feeling look sound smell taste fun love hope power energy skill knowledge experience advice
        tip help support feedback information info detail data content context concept topic subject matter situation
        condition state status level degree amount number total sum rate percentage ratio size range scope scale
        process step progress work job task effort goal target objective purpose aim plan strategy choice option
        alternative possibility decision change difference improvement increase decrease impact effect influence
        benefit value quality feature aspect element factor component piece section item type form style version
        copy set group list series variety mix combination pair bunch series everything nothing anything something
        someone people person guy man woman kid child friend family member everyone user users human life world place
        area room spot home house city town country line page stage phase period error mistake bug warning
        message answer reply response solution fix workaround command code function method variable parameter argument
        file folder directory one ones other others hand eye head heart mind body voice name title company business
        team project app application program software system tool machine computer laptop box phone device server
        setup configuration config settings setting account password key access permission internet connection
        attention care time money cash price cost term phrase format structure order sequence pattern
        latter former above below following moment instance attitude atmosphere vibe mood passion journey adventure
        challenge dream story memory picture photo pic image video view sight scene color colour"""
    )
    | TIME_WORDS
)
"""Heads that name nothing by themselves, so that a single bare one is no entity."""

EMPTY: Final = (
    words(
        """thing stuff way bit lot kind sort issue problem question idea opportunity chance excuse moment fact reason
        side end beginning rest sense feeling trick word fun hope advantage everything nothing anything something
        someone people guy everyone other others hand eye heart mind latter former one ones time possibility
        version difference amount number degree error errors mistake bug warning change decision attempt chaos mess phrase
        weekend holiday vacation weather mood"""
    )
    | TIME_WORDS
)
"""Heads that name nothing even with an adjective ("a strange problem")."""

PEOPLE: Final = words(
    """mother father mom mum dad sister brother wife husband partner girlfriend boyfriend son daughter kid kids child
    children friend friends family boss manager colleague colleagues coworker coworkers neighbor neighbour parents
    grandmother grandma grandfather grandpa aunt uncle cousin cousins niece nephew mentor teacher coach doctor dog cat
    puppy people person guy guys man woman men women student students fans followers crew buddy buddies pet pets"""
)

TITLES: Final = PEOPLE - words("people person guy guys man men woman women fans followers crew pet pets") | words(
    """client customer professor prof teammate roommate flatmate housemate classmate ceo cto cfo director supervisor lead
    designer developer engineer intern contractor consultant architect analyst accountant assistant trainer tutor
    landlord therapist lawyer nurse fiance fiancee ex bosses clients customers teammates"""
)
"""What a person is to the speaker; before a personal name it is no part of it ("my colleague Tomas")."""

SOFTWARE_TITLES: Final = words("client manager director assistant lead architect analyst")
"""Titles that programs bear too: people's only after "my" or "our"."""

TITLE_ADJECTIVES: Final = words(
    """project product engineering team tech line account office best old older oldest young younger youngest little big
    former new ex dear good close senior junior late step favorite favourite"""
)

GENERAL: Final = words(
    """life love success failure performance productivity development programming coding learning studying teaching science
    society community management education research culture nature history technology innovation creativity communication
    understanding happiness health wealth speed luck safety security quality simplicity complexity beauty truth knowledge
    automation installation compilation installing compiling building using working running living thinking cooking reading
    writing gaming travel travelling traveling music art sport school college university business industry engineering
    growth motivation math maths mathematics physics evidence practice theory maintenance reliability availability
    scalability flexibility compatibility portability mankind humanity everybody luck progress proof"""
)
"""What is spoken of in general, so that alone, without an article, it names no part of a system ("life")."""

RESOURCES: Final = words(
    """ram memory vram swap disk disks cpu cpus cores vcpu vcpus gb mb kb tb gib mib bandwidth gigabytes megabytes
    ssd hdd"""
)
"""What every program takes some of: no dependency."""
MEASURED: Final = words("space free usage time capacity available system physical more storage")

ROLES: Final = words(
    """ci cd ci/cd stack backend frontend database db editor ide shell terminal os distro browser framework language
    broker queue cache orm bundler linter formatter runner manager hosting host cloud platform provider app api
    server client store storage datastore warehouse registry proxy balancer gateway monitoring logging tracing
    observability search engine vcs tracker board wiki cms templating library toolkit runtime interpreter compiler
    desktop environment wm keyboard phone laptop router firewall vpn mailer email calendar notebook planner tool
    pipeline site website blog bot service worker job scheduler"""
)
"""What a technology may be *as*: "our CI is Buildkite"."""

PROJECT_HEADS: Final = words(
    """app application api service site website blog bot game tool library package plugin extension engine platform
    tracker dashboard pipeline compiler parser portal cli sdk framework client server backend frontend project startup
    repo repository module integration migration system team novel book memoir podcast documentary thesis dissertation
    screenplay album"""
)
"""What a person works *on* as on a project."""

TEAM_HEADS: Final = words("team squad group guild department crew tribe org organization company committee")

BUILT: Final = words(
    """app application api service microservice site website spa server worker project codebase program script backend
    frontend client library package cli bot monolith extension plugin dashboard portal module component game shop store
    cluster instance database container job daemon page"""
)
"""What is built in a technology that stands before it: "a Svelte app"."""

CIRCLES: Final = TEAM_HEADS | words("office shop place side house lab studio firm startup")
"""Where "nobody at our …" is all of us."""

STANDARDS: Final = words("protocol spec specification standard interface contract trait schema api format rfc")

CONTAINERS: Final = words(
    "repo repository monorepo package module library crate workspace bundle folder directory codebase"
)

CONFIGURATIONS: Final = words("config configuration settings configs")

UNITS: Final = words(
    """gb mb kb tb ms s sec secs second seconds minute minutes min mins hour hours hrs day days week weeks month months
    year years mhz ghz hz cores core cpus percent % px requests connections workers threads retries usd eur dollars
    euros gib mib mbps gbps rpm watts km miles kg"""
)
