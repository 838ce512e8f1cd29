"""French sentences. Groups stand with their article, never behind `de` or `à`."""

from __future__ import annotations

from evenhand.synthetic.phrasebook import Phrasebook, topic_patterns

NOUNS, TOPICS = topic_patterns(
    (
        "{topic}, je trouve ça {view}.",
        "{who} m'en a parlé {time} : {topic}, c'est {view}.",
        "Qu'en pensez-vous, {topic}, c'est vraiment {view} ?",
        "Depuis {number} semaines, {topic} me préoccupe.",
        "J'ai relu {number} fois, et {topic} ne change rien.",
    ),
    news=("l'article", "le pont", "l'entretien", "le gros titre"),
    politics=("le budget", "le vote", "la nouvelle loi", "la coalition"),
    sports=("l'entraîneur", "la défense", "le match retour", "le gardien"),
    gaming=("la nouvelle carte", "le dernier niveau", "la mise à jour", "le classement"),
    music=("le refrain", "le deuxième album", "la ligne de basse", "le concert"),
    parenting=("l'heure du coucher", "la crèche", "le petit déjeuner", "l'aire de jeux"),
    science=("l'échantillon", "la méthode", "la deuxième figure", "le télescope"),
    gardening=("le compost", "la haie", "le pommier", "le potager"),
    fresh=("la digue", "la grève du ferry", "la station de pompage", "l'évacuation"),
)
FRENCH = Phrasebook(
    slots={
        **NOUNS,
        "view": ("étrange", "réussi", "surprenant", "correct", "un peu léger", "pas clair"),
        "who": ("Ma sœur", "Notre voisin", "Un ami", "Ma cheffe", "Mon oncle"),
        "time": ("hier", "ce matin", "la semaine dernière", "vendredi", "au printemps"),
        "number": ("deux", "trois", "quatre", "six", "neuf"),
        "fool": ("idiot", "crétin", "clown", "menteur", "lâche"),
        "poor": ("minable", "stupide", "pathétique", "méprisable"),
        "bad": ("minables", "stupides", "pathétiques", "méprisables"),
    },
    topics=TOPICS,
    openings=(
        "Merci pour la publication.",
        "Je lis ici depuis longtemps.",
        "Bonjour à tous.",
        "Honnêtement, je ne sais pas.",
    ),
    closings=("Merci !", "Ce n'est que mon avis.", ":)", "Bonne journée.", "Une idée ?"),
    groups={
        "women": ("les femmes", "les femmes d'ici"),
        "men": ("les hommes", "les hommes d'ici"),
        "gay": ("les gays", "les couples gays"),
        "black": ("les personnes noires", "les familles noires"),
        "white": ("les personnes blanches", "les familles blanches"),
        "asian": ("les personnes asiatiques", "les familles asiatiques"),
        "muslim": ("les musulmans", "les familles musulmanes"),
        "christian": ("les chrétiens", "les familles chrétiennes"),
        "jewish": ("les juifs", "les familles juives"),
        "older": ("les personnes âgées", "les voisins âgés"),
        "disabled": ("les personnes handicapées", "les voisins handicapés"),
    },
    join=" et ",
    mention=(
        "Dans notre rue habitent {group}.",
        "Pour {group}, peu de choses ont changé {time}.",
        "Sur la photo on voit {group}.",
        "{who} a écrit sur {group}.",
    ),
    defended=(
        "Personne n'a le droit de dire que {group} sont {bad}.",
        "Quelqu'un a écrit {time} que {group} sont {bad}, je l'ai signalé.",
    ),
    rough=(
        "C'était vachement bien, bordel.",
        "Quel idiot je suis, je l'ai raté {time}.",
        "Quel temps de merde, {number} jours de pluie !",
        "C'est ma faute, une erreur stupide {time}.",
    ),
    overt={
        "harassment": ("Tu es {poor}.", "Tais-toi, {fool}.", "Va-t'en, {fool}, personne ne t'aime."),
        "hate": ("Je hais {group}, qu'on les jette dehors.", "On le sait, {group} sont {bad}.", "Dehors {group} !"),
        "threat": ("Je vais te trouver et te frapper, {fool}.", "Tu vas mourir pour ça, {fool}."),
        "sexual": ("Envoie-moi une photo nue, {fool}.", "Beau cul, appelle-moi."),
        "spam": ("Pilules pas chères, {number} pour le prix d'une, clique sur ma page !!!",),
    },
    veiled={
        "harassment": (
            "Certains ont fini l'école avant d'écrire ici.",
            "On était mieux ici avant ton arrivée.",
            "Rends-nous service et ne reviens jamais.",
        ),
        "hate": (
            "Vous savez bien comment sont {group}.",
            "C'était une belle rue, puis {group} sont arrivés.",
            "On n'a pas besoin que {group} vivent ici.",
        ),
        "threat": ("Jolie maison, ce serait dommage qu'elle brûle.", "Regarde derrière toi en sortant du travail."),
        "sexual": ("Je pense sans cesse à ce que tu caches sous ta chemise.", "Toi, moi, sans vêtements ?"),
        "spam": ("Je gagne {number} mille par semaine avec cette astuce, lien dans mon profil.",),
    },
)
