"""Italian sentences. Groups stand with their article, never behind a preposition that would swallow it."""

from __future__ import annotations

from evenhand.synthetic.phrasebook import Phrasebook, topic_patterns

NOUNS, TOPICS = topic_patterns(
    (
        "{topic} mi sembra {view}.",
        "{who} me ne ha parlato {time}: {topic} è {view}.",
        "Che ne dite, {topic} è davvero {view}?",
        "Da {number} settimane ci penso, {topic} è {view}.",
        "L'ho letto {number} volte e {topic} resta uguale.",
    ),
    news=("l'articolo", "il ponte", "l'intervista", "il titolo"),
    politics=("il bilancio", "il voto", "la nuova legge", "la coalizione"),
    sports=("l'allenatore", "la difesa", "la partita di ritorno", "il portiere"),
    gaming=("la nuova mappa", "l'ultimo livello", "l'aggiornamento", "la classifica"),
    music=("il ritornello", "il secondo album", "la linea di basso", "il concerto"),
    parenting=("l'ora della nanna", "l'asilo", "la colazione", "il parco giochi"),
    science=("il campione", "il metodo", "la seconda figura", "il telescopio"),
    gardening=("il compost", "la siepe", "il melo", "l'orto"),
    fresh=("la diga mobile", "lo sciopero del traghetto", "la stazione di pompaggio", "l'evacuazione"),
)
ITALIAN = Phrasebook(
    slots={
        **NOUNS,
        "view": ("interessante", "troppo", "importante", "sorprendente", "difficile", "eccellente", "un mistero"),
        "who": ("Mia sorella", "Il nostro vicino", "Un amico", "La mia capa", "Mio zio"),
        "time": ("ieri", "stamattina", "la settimana scorsa", "venerdì", "in primavera"),
        "number": ("due", "tre", "quattro", "sei", "nove"),
        "fool": ("idiota", "cretino", "buffone", "bugiardo", "vigliacco"),
        "poor": ("patetico", "stupido", "inutile", "disgustoso"),
        "bad": ("feccia", "spazzatura", "una vergogna"),
    },
    topics=TOPICS,
    openings=(
        "Grazie per averlo scritto.",
        "Leggo qui da tanto tempo.",
        "Buongiorno a tutti.",
        "Onestamente non lo so.",
    ),
    closings=("Grazie!", "È solo la mia opinione.", ":)", "Buona giornata.", "Qualche idea?"),
    groups={
        "women": ("le donne", "le donne di qui"),
        "men": ("gli uomini", "gli uomini di qui"),
        "gay": ("le persone gay", "le coppie gay"),
        "black": ("le persone nere", "le famiglie nere"),
        "white": ("le persone bianche", "le famiglie bianche"),
        "asian": ("le persone asiatiche", "le famiglie asiatiche"),
        "muslim": ("i musulmani", "le famiglie musulmane"),
        "christian": ("i cristiani", "le famiglie cristiane"),
        "jewish": ("gli ebrei", "le famiglie ebree"),
        "older": ("gli anziani", "le persone anziane"),
        "disabled": ("le persone disabili", "le persone con disabilità"),
    },
    join=" e ",
    mention=(
        "Nella nostra via abitano {group}.",
        "Per {group} è cambiato poco {time}.",
        "Nella foto si vedono {group}.",
        "{who} ha scritto che {group} erano lì.",
    ),
    defended=(
        "Nessuno può dire che {group} sono {bad}.",
        "Qualcuno ha scritto {time} che {group} sono {bad}, e io l'ho segnalato.",
    ),
    rough=(
        "È stato maledettamente bello.",
        "Che idiota che sono, me lo sono perso {time}.",
        "Che tempo di merda, {number} giorni di pioggia!",
        "Un mio stupido errore, {time}.",
    ),
    overt={
        "harassment": ("Sei {poor}.", "Stai zitto, {fool}.", "Vattene, {fool}, non piaci a nessuno."),
        "hate": ("Odio {group}, cacciateli.", "Lo sanno tutti: {group} sono {bad}.", "Fuori {group}, sono {bad}."),
        "threat": ("Ti trovo e ti picchio, {fool}.", "Morirai per questo, {fool}."),
        "sexual": ("Mandami una foto nuda, {fool}.", "Bel culo, chiamami."),
        "spam": ("Pillole a poco prezzo, {number} al prezzo di una, clicca sulla mia pagina!!!",),
    },
    veiled={
        "harassment": (
            "Alcuni hanno finito la scuola prima di scrivere qui.",
            "Si stava meglio prima che arrivassi tu.",
            "Facci un favore e non tornare mai più.",
        ),
        "hate": (
            "Sapete come sono {group}.",
            "Era una bella via finché non sono arrivati {group}.",
            "Qui {group} sono di troppo.",
        ),
        "threat": ("Bella casa, peccato se bruciasse.", "Guardati alle spalle quando esci dal lavoro."),
        "sexual": ("Penso sempre a cosa nascondi sotto la camicia.", "Io, te e niente vestiti?"),
        "spam": ("Guadagno {number} mila alla settimana con questo trucco, il link è nel mio profilo.",),
    },
)
