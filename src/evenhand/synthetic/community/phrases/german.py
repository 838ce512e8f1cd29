"""German sentences. Groups stand in the nominative or accusative, without an article."""

from __future__ import annotations

from evenhand.synthetic.phrasebook import Phrasebook, topic_patterns

NOUNS, TOPICS = topic_patterns(
    (
        "{topic} wirkt auf mich {view}.",
        "{who} hat mir {time} davon erzählt: {topic} ist {view}.",
        "Was meint ihr, ist {topic} wirklich {view}?",
        "{topic} beschäftigt mich seit {number} Wochen.",
        "Ich habe {number} Mal nachgelesen, {topic} bleibt {view}.",
    ),
    news=("der Artikel", "die Brücke", "das Interview", "die Schlagzeile"),
    politics=("der Haushalt", "die Abstimmung", "das neue Gesetz", "die Koalition"),
    sports=("der Trainer", "die Abwehr", "das Rückspiel", "der Torwart"),
    gaming=("die neue Karte", "der letzte Level", "das Update", "die Rangliste"),
    music=("der Refrain", "das zweite Album", "die Basslinie", "das Konzert"),
    parenting=("die Einschlafzeit", "das Kinderzimmer", "der Kindergarten", "das Frühstück"),
    science=("die Stichprobe", "das Verfahren", "die zweite Abbildung", "das Teleskop"),
    gardening=("der Kompost", "die Hecke", "der Apfelbaum", "das Hochbeet"),
    fresh=("die Flutsperre", "der Fährstreik", "das Pumpwerk", "die Evakuierung"),
)
GERMAN = Phrasebook(
    slots={
        **NOUNS,
        "view": ("seltsam", "gelungen", "überraschend", "in Ordnung", "etwas dünn", "unklar"),
        "who": ("Meine Schwester", "Unser Nachbar", "Ein Freund", "Meine Chefin", "Mein Onkel"),
        "time": ("gestern", "heute früh", "letzte Woche", "am Freitag", "im Frühling"),
        "number": ("zwei", "drei", "vier", "sechs", "neun"),
        "fool": ("Idiot", "Trottel", "Versager", "Lügner", "Feigling"),
        "poor": ("erbärmlich", "dumm", "wertlos", "widerlich"),
    },
    topics=TOPICS,
    openings=(
        "Danke für den Beitrag.",
        "Ich lese hier schon lange mit.",
        "Guten Morgen zusammen.",
        "Ehrlich gesagt bin ich unsicher.",
    ),
    closings=("Danke!", "Nur meine Meinung.", ":)", "Schönen Tag noch.", "Hat jemand eine Idee?"),
    groups={
        "women": ("Frauen", "Frauen von hier"),
        "men": ("Männer", "Männer von hier"),
        "gay": ("Schwule", "schwule Paare"),
        "black": ("Schwarze", "schwarze Familien"),
        "white": ("Weiße", "weiße Familien"),
        "asian": ("Asiaten", "asiatische Familien"),
        "muslim": ("Muslime", "muslimische Familien"),
        "christian": ("Christen", "christliche Familien"),
        "jewish": ("Juden", "jüdische Familien"),
        "older": ("Ältere", "ältere Leute"),
        "disabled": ("Menschen mit Behinderung", "behinderte Menschen"),
    },
    join=" und ",
    mention=(
        "In unserer Straße wohnen {group}.",
        "Für {group} hat sich {time} wenig geändert.",
        "Auf dem Bild sieht man {group}.",
        "{who} hat über {group} geschrieben.",
    ),
    defended=(
        "Niemand darf {group} {poor} nennen.",
        "Jemand schrieb {time}, {group} seien {poor}, und ich habe es gemeldet.",
    ),
    rough=(
        "Das war verdammt gut.",
        "Ich {fool}, das habe ich {time} verpasst.",
        "So ein Mist, {number} Mal daneben!",
        "Mein eigener dummer Fehler, das war {time}.",
    ),
    overt={
        "harassment": ("Du bist {poor}.", "Halt den Mund, du {fool}.", "Verschwinde, {fool}, niemand mag dich."),
        "hate": (
            "Ich hasse {group}, werft sie raus.",
            "Alle wissen es: {group} sind {poor}.",
            "{group} sind Abschaum.",
        ),
        "threat": ("Ich finde dich und schlage dich zusammen, {fool}.", "Dafür wirst du sterben, {fool}."),
        "sexual": ("Schick mir ein Nacktbild, du {fool}.", "Geiler Hintern, ruf mich an."),
        "spam": ("Billige Pillen, {number} zum Preis von einer, klick auf meine Seite!!!",),
    },
    veiled={
        "harassment": (
            "Manche haben die Schule beendet, bevor sie hier schrieben.",
            "Vor deiner Zeit war es hier schöner.",
            "Tu uns den Gefallen und bleib für immer weg.",
        ),
        "hate": (
            "Man weiß ja, wie {group} sind.",
            "Hier war es schön, bis {group} kamen.",
            "Hier braucht es weniger {group}.",
        ),
        "threat": ("Schönes Haus, schade, wenn es brennen würde.", "Dreh dich nach der Arbeit lieber um."),
        "sexual": ("Ich denke immer daran, was du unter dem Hemd versteckst.", "Du und ich und keine Kleider?"),
        "spam": ("Ich verdiene {number} Tausend in der Woche mit diesem Trick, mehr in meinem Profil.",),
    },
)
