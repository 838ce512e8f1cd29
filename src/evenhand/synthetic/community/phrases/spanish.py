"""Spanish sentences. Groups stand with their article, never behind `de`."""

from __future__ import annotations

from evenhand.synthetic.phrasebook import Phrasebook, topic_patterns

NOUNS, TOPICS = topic_patterns(
    (
        "{topic} me parece {view}.",
        "{who} me lo contó {time}: {topic} es {view}.",
        "¿Qué opináis, {topic} es {view} de verdad?",
        "Llevo {number} semanas pensando en esto, {topic} es {view}.",
        "Lo he leído {number} veces y {topic} sigue igual.",
    ),
    news=("el artículo", "el puente", "la entrevista", "el titular"),
    politics=("el presupuesto", "la votación", "la nueva ley", "la coalición"),
    sports=("el entrenador", "la defensa", "el partido de vuelta", "el portero"),
    gaming=("el mapa nuevo", "el último nivel", "la actualización", "la clasificación"),
    music=("el estribillo", "el segundo disco", "la línea de bajo", "el concierto"),
    parenting=("la hora de dormir", "la guardería", "el desayuno", "el parque infantil"),
    science=("la muestra", "el método", "la segunda figura", "el telescopio"),
    gardening=("el compost", "el seto", "el manzano", "el bancal"),
    fresh=("la barrera contra la riada", "la huelga del ferry", "la estación de bombeo", "la evacuación"),
)
SPANISH = Phrasebook(
    slots={
        **NOUNS,
        "view": ("interesante", "demasiado", "importante", "sorprendente", "difícil", "excelente", "un misterio"),
        "who": ("Mi hermana", "Nuestro vecino", "Un amigo", "Mi jefa", "Mi tío"),
        "time": ("ayer", "esta mañana", "la semana pasada", "el viernes", "en primavera"),
        "number": ("dos", "tres", "cuatro", "seis", "nueve"),
        "fool": ("idiota", "imbécil", "payaso", "mentiroso", "cobarde"),
        "poor": ("lamentable", "despreciable", "repugnante", "una vergüenza"),
        "bad": ("lo peor", "basura", "una plaga"),
    },
    topics=TOPICS,
    openings=(
        "Gracias por publicarlo.",
        "Llevo mucho tiempo leyendo aquí.",
        "Buenos días a todos.",
        "Sinceramente, no estoy seguro.",
    ),
    closings=("¡Gracias!", "Es solo mi opinión.", ":)", "Que tengáis un buen día.", "¿Alguna idea?"),
    groups={
        "women": ("las mujeres", "las mujeres de aquí"),
        "men": ("los hombres", "los hombres de aquí"),
        "gay": ("los gais", "las parejas gais"),
        "black": ("las personas negras", "las familias negras"),
        "white": ("las personas blancas", "las familias blancas"),
        "asian": ("las personas asiáticas", "las familias asiáticas"),
        "muslim": ("los musulmanes", "las familias musulmanas"),
        "christian": ("los cristianos", "las familias cristianas"),
        "jewish": ("los judíos", "las familias judías"),
        "older": ("las personas mayores", "los vecinos mayores"),
        "disabled": ("las personas con discapacidad", "los vecinos con discapacidad"),
    },
    join=" y ",
    mention=(
        "En nuestra calle viven {group}.",
        "Para {group} cambió poco {time}.",
        "En la foto salen {group}.",
        "{who} ha escrito sobre {group}.",
    ),
    defended=(
        "Nadie puede decir que {group} son {bad}.",
        "Alguien escribió {time} que {group} son {bad}, y lo denuncié.",
    ),
    rough=(
        "Estuvo jodidamente bien.",
        "Soy idiota, me lo perdí {time}.",
        "¡Qué mierda de tiempo, {number} días de lluvia!",
        "Fue un error estúpido mío, {time}.",
    ),
    overt={
        "harassment": ("Eres {poor}.", "Cállate, {fool}.", "Vete, {fool}, aquí nadie te quiere."),
        "hate": ("Odio a {group}, que los echen.", "Todos lo saben: {group} son {bad}.", "Fuera {group}, son {bad}."),
        "threat": ("Te voy a encontrar y te voy a pegar, {fool}.", "Vas a morir por esto, {fool}."),
        "sexual": ("Mándame una foto desnuda, {fool}.", "Qué culo, llámame."),
        "spam": ("Pastillas baratas, {number} por el precio de una, ¡entra en mi página!",),
    },
    veiled={
        "harassment": (
            "Algunos terminamos la escuela antes de escribir aquí.",
            "Aquí se estaba mejor antes de que llegaras.",
            "Haznos un favor y no vuelvas nunca.",
        ),
        "hate": (
            "Ya sabéis cómo son {group}.",
            "Era un buen barrio hasta que vinieron {group}.",
            "Aquí sobran {group}.",
        ),
        "threat": ("Bonita casa, sería una pena que ardiera.", "Mejor mira atrás cuando salgas del trabajo."),
        "sexual": ("No dejo de pensar en lo que escondes bajo la camisa.", "Tú, yo y sin ropa, ¿qué dices?"),
        "spam": ("Gano {number} mil a la semana con este truco, enlace en mi perfil.",),
    },
)
