"""Models small enough to be made on the spot: random weights, a tokenizer learnt from one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BloomConfig,
    BloomForCausalLM,
    GPT2Config,
    GPT2ForSequenceClassification,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
)
from transformers.utils import logging

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "<s>", "<|im_start|>", "<|im_end|>"]
SENTENCE = "is this comment hateful? answer: yes no hateful harmless the quick brown fox jumps over the lazy dog"
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXTS = [
    "the quick brown fox",
    "",
    "lazy dogs, lazy dogs; lazy dogs!",
    "é ü 漢字 🙂",
    "jumps",
    "the " * 200,
    "over the lazy dog and then some more words that nobody taught the tokenizer",
    "no",
]


def tokenizer(*, longest: int = 64, causal: bool = False, chat: bool = False) -> PreTrainedTokenizerFast:
    made = Tokenizer(models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([SENTENCE] * 3, trainer)
    if causal:
        made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 4)])
    else:
        ends = [("[CLS]", 2), ("[SEP]", 3)]
        made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = {"bos_token": "<s>"} if causal else {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    told = {"unk_token": "[UNK]", "pad_token": "[PAD]", "model_max_length": longest, **names}
    found = PreTrainedTokenizerFast(tokenizer_object=made, **told)
    found.chat_template = CHAT if chat else None
    return found


SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def sequence_model(kind: str, labels: list[str], problem: str | None = None, pad: int | None = 0) -> Any:
    torch.manual_seed(1)
    shared = {"vocab_size": 420, "id2label": dict(enumerate(labels)), "pad_token_id": pad}
    shared |= {"label2id": {name: number for number, name in enumerate(labels)}, "problem_type": problem}
    shared |= {"initializer_range": 0.5, "bos_token_id": None, "eos_token_id": None}
    if kind == "bert":
        return BertForSequenceClassification(BertConfig(**SIZES, **shared, max_position_embeddings=64))
    if kind == "roberta":
        return RobertaForSequenceClassification(RobertaConfig(**SIZES, **shared, max_position_embeddings=66))
    return GPT2ForSequenceClassification(GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=64, **shared))


def causal_model(kind: str) -> Any:
    torch.manual_seed(2)
    if kind == "llama":
        return LlamaForCausalLM(
            LlamaConfig(**SIZES, vocab_size=420, max_position_embeddings=96, initializer_range=0.3, bos_token_id=4)
        )
    if kind == "bloom":
        return BloomForCausalLM(BloomConfig(hidden_size=16, n_layer=2, n_head=2, vocab_size=420, initializer_range=0.3))
    return GPT2LMHeadModel(
        GPT2Config(
            n_embd=16, n_layer=2, n_head=2, n_positions=96, vocab_size=420, initializer_range=0.3, bos_token_id=4
        )
    )


def saved(folder: Path, model: Any, tokens: PreTrainedTokenizerFast | None) -> Path:
    logging.disable_progress_bar()
    try:
        model.save_pretrained(folder)
        if tokens is not None:
            tokens.save_pretrained(folder)
    finally:
        logging.enable_progress_bar()
    return folder
