"""Portuguese sentences. Groups stand with their article, never behind a preposition that would swallow it."""

from __future__ import annotations

from evenhand.synthetic.phrasebook import Phrasebook, topic_patterns

NOUNS, TOPICS = topic_patterns(
    (
        "{topic} parece-me {view}.",
        "{who} falou-me disso {time}: {topic} é {view}.",
        "O que acham, {topic} é mesmo {view}?",
        "Há {number} semanas que penso nisto, {topic} é {view}.",
        "Li {number} vezes e {topic} continua igual.",
    ),
    news=("o artigo", "a ponte", "a entrevista", "o título"),
    politics=("o orçamento", "a votação", "a nova lei", "a coligação"),
    sports=("o treinador", "a defesa", "o jogo da segunda mão", "o guarda-redes"),
    gaming=("o novo mapa", "o último nível", "a atualização", "a classificação"),
    music=("o refrão", "o segundo álbum", "a linha de baixo", "o concerto"),
    parenting=("a hora de dormir", "a creche", "o pequeno-almoço", "o parque infantil"),
    science=("a amostra", "o método", "a segunda figura", "o telescópio"),
    gardening=("o composto", "a sebe", "a macieira", "a horta"),
    fresh=("a barreira contra a cheia", "a greve do barco", "a estação de bombagem", "a evacuação"),
)
PORTUGUESE = Phrasebook(
    slots={
        **NOUNS,
        "view": ("interessante", "demais", "importante", "surpreendente", "difícil", "excelente", "um mistério"),
        "who": ("A minha irmã", "O nosso vizinho", "Um amigo", "A minha chefe", "O meu tio"),
        "time": ("ontem", "esta manhã", "na semana passada", "na sexta", "na primavera"),
        "number": ("duas", "três", "quatro", "seis", "nove"),
        "fool": ("idiota", "parvo", "palhaço", "mentiroso", "cobarde"),
        "poor": ("ridículo", "estúpido", "inútil", "nojento"),
        "bad": ("lixo", "uma praga", "uma vergonha"),
    },
    topics=TOPICS,
    openings=("Obrigado pela partilha.", "Leio aqui há muito tempo.", "Bom dia a todos.", "Sinceramente, não sei."),
    closings=("Obrigado!", "É só a minha opinião.", ":)", "Um bom dia.", "Alguma ideia?"),
    groups={
        "women": ("as mulheres", "as mulheres daqui"),
        "men": ("os homens", "os homens daqui"),
        "gay": ("os gays", "os casais gays"),
        "black": ("as pessoas negras", "as famílias negras"),
        "white": ("as pessoas brancas", "as famílias brancas"),
        "asian": ("as pessoas asiáticas", "as famílias asiáticas"),
        "muslim": ("os muçulmanos", "as famílias muçulmanas"),
        "christian": ("os cristãos", "as famílias cristãs"),
        "jewish": ("os judeus", "as famílias judias"),
        "older": ("as pessoas idosas", "os vizinhos idosos"),
        "disabled": ("as pessoas com deficiência", "os vizinhos com deficiência"),
    },
    join=" e ",
    mention=(
        "Na nossa rua moram {group}.",
        "Para {group} mudou pouco {time}.",
        "Na fotografia aparecem {group}.",
        "{who} escreveu sobre {group}.",
    ),
    defended=(
        "Ninguém pode dizer que {group} são {bad}.",
        "Alguém escreveu {time} que {group} são {bad}, e eu denunciei.",
    ),
    rough=(
        "Foi bom como o raio.",
        "Sou um idiota, perdi isso {time}.",
        "Que merda de tempo, {number} semanas de chuva!",
        "Foi um erro estúpido meu, {time}.",
    ),
    overt={
        "harassment": ("És {poor}.", "Cala-te, {fool}.", "Vai-te embora, {fool}, ninguém gosta de ti."),
        "hate": ("Odeio {group}, expulsem-nos.", "Toda a gente sabe: {group} são {bad}.", "Fora {group}, são {bad}."),
        "threat": ("Vou encontrar-te e bater-te, {fool}.", "Vais morrer por isto, {fool}."),
        "sexual": ("Manda-me uma foto sem roupa, {fool}.", "Belo rabo, liga-me."),
        "spam": ("Comprimidos baratos, {number} pelo preço de um, clica na minha página!!!",),
    },
    veiled={
        "harassment": (
            "Alguns acabaram a escola antes de escrever aqui.",
            "Estava-se melhor aqui antes de chegares.",
            "Faz-nos um favor e nunca mais voltes.",
        ),
        "hate": ("Já sabem como são {group}.", "Era uma boa rua até virem {group}.", "Aqui {group} estão a mais."),
        "threat": ("Bela casa, era uma pena se ardesse.", "Olha para trás quando saíres do trabalho."),
        "sexual": ("Penso sempre no que escondes debaixo da camisa.", "Tu, eu e sem roupa, que dizes?"),
        "spam": ("Ganho {number} mil por semana com este truque, a ligação está no meu perfil.",),
    },
)
