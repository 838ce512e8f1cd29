"""Spans are counted as clients count: in UTF-16 code units of the text as it was sent."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.service.perspective.comment_text import MOST_SENTENCES, CommentText, TextSpan, utf16_length

ODD = "aé .!?…\n。！？\"')\t\u0301\u200d🙂🏳️‍🌈👩🏽‍🚀𝒜\U0010ffff中ک"
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=80)
tagged = st.lists(
    st.sampled_from(["<b>", "</b>", "<br>", "<p a='1'>", "<!-- x -->", "<script>x<y</script>", "&amp;", "&#128578;"])
    | texts,
    max_size=12,
).map("".join)


def cut(text: str, span: TextSpan) -> str:
    return text.encode("utf-16-le")[2 * span.begin : 2 * span.end].decode("utf-16-le")


@given(texts)
def test_a_span_of_plain_text_reads_what_stands_there(text: str) -> None:
    comment = CommentText.of_plain(text)
    spans = comment.sentences()
    assert all(cut(text, span) == span.text == span.text.strip() != "" for span in spans)
    assert all(one.end <= other.begin for one, other in pairwise(spans))
    assert "".join("".join(span.text for span in spans).split()) == "".join(text.split())
    assert cut(text, comment.whole()) == text


@given(tagged)
def test_a_span_of_html_lies_in_what_was_sent_and_cuts_no_character(text: str) -> None:
    comment = CommentText.of_html(text)
    spans = comment.sentences()
    places = [0, *(place for span in spans for place in (span.begin, span.end)), utf16_length(text)]
    assert places == sorted(places)
    for span in spans:
        assert CommentText.of_html(cut(text, span)).read.strip() == span.text


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("What kind of idiot name is foo? Sorry, I like your name.", [(0, 31), (32, 56)]),  # of Perspective's guide
        ("🙂🙂! Yes.", [(0, 5), (6, 10)]),
        ("e\u0301! n\u0303?", [(0, 3), (4, 7)]),
        ("好。不好！", [(0, 2), (2, 5)]),
        ("3.5 of example.org", [(0, 18)]),
        ('He said "no." Then left', [(0, 13), (14, 23)]),
        ("a\n\n  b", [(0, 1), (5, 6)]),
    ],
)
def test_sentences(text: str, spans: list[tuple[int, int]]) -> None:
    assert [(span.begin, span.end) for span in CommentText.of_plain(text).sentences()] == spans


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<p>you <b>idi</b>ot</p>", "\nyou idiot\n"),
        ("a<br/>b", "a\nb"),
        ("1 < 2 > 1 & 3", "1 < 2 > 1 & 3"),
        ("&lt;b&gt; &eacute;&#x1F642;", "<b> é🙂"),
        ("a<!-- <b> -->b<style>p {}</style>c", "abc"),
        ("a<script>evil</SCRIPT>b", "ab"),
        ("<a href=x>never closed", "never closed"),
        ("<!-- never closed", ""),
    ],
)
def test_tags_are_taken_out(text: str, read: str) -> None:
    assert CommentText.of_html(text).read == read


def test_offsets_of_html_are_those_of_what_was_sent() -> None:
    text = "<p>Hi &amp; bye 🙂.</p><p>You!</p>"
    first, second = CommentText.of_html(text).sentences()
    assert (first.text, cut(text, first)) == ("Hi & bye 🙂.", "Hi &amp; bye 🙂.")
    assert (second.text, cut(text, second)) == ("You!", "You!")


def test_what_comes_after_the_most_sentences_belongs_to_the_last() -> None:
    text = "No! " * (MOST_SENTENCES + 50)
    spans = CommentText.of_plain(text).sentences()
    assert len(spans) == MOST_SENTENCES
    assert spans[-1].end == utf16_length(text) - 1


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "<script>", "&", "&#", "!", ". ", '!"', "\n", " ", "-->", "<p<", "a"]
)
def test_no_comment_takes_more_than_a_pass(piece: str) -> None:
    text = (piece * 20_480)[:20_480]
    began = time.process_time()
    CommentText.of_html(text).sentences()
    CommentText.of_plain(text + "x").sentences()
    assert time.process_time() - began < 6.0
