"""What the tables [perspective] and [moderations] may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.service.mappings import AttributeMapping, CategoryMapping
from evenhand.service.settings import ServiceSettings, read_settings


def read(tmp_path: Path, toml: str) -> ServiceSettings:
    path = tmp_path / "serve.toml"
    path.write_text(toml)
    return read_settings({}, config=path, environ={})


def test_attributes_and_categories_are_declared(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        """
        port = 9000
        [perspective]
        address = "https://scores.example.org/"
        languages = ["en"]
        [perspective.attributes]
        TOXICITY = { class = "toxic" }
        INSULT = { class = "insult", model = "mine", languages = ["de", "hi-Latn"] }
        [moderations.categories]
        "harassment/threatening" = { class = "threat", threshold = 0.5, model = "mine" }
        """,
    )
    assert found.port == 9000
    assert found.perspective.address == "https://scores.example.org"
    assert found.perspective.attributes == {
        "TOXICITY": AttributeMapping("toxic", None, ("en",)),
        "INSULT": AttributeMapping("insult", "mine", ("de", "hi-Latn")),
    }
    assert found.moderations.categories == {"harassment/threatening": CategoryMapping("threat", 0.5, "mine")}


def test_the_file_of_the_docs_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "perspective-api.md").read_text()
    lines = page.partition("    model = ")[2].partition("\nA request for an unknown attribute")[0].splitlines()
    found = read(tmp_path, "model = " + "\n".join(line.strip() for line in lines))
    assert [model.name for model in found.models] == [None, "mine"]
    assert found.perspective.attributes["INSULT"] == AttributeMapping("insult", "mine", ("en", "de"))  # type: ignore[index]
    assert found.moderations.categories == {"harassment": CategoryMapping("toxic", 0.8)}


def test_nothing_is_declared_by_default(tmp_path: Path) -> None:
    found = read(tmp_path, "port = 9000")
    assert (found.perspective.attributes, found.moderations.categories) == (None, None)
    assert read(tmp_path, "[perspective]\nattributes = {}").perspective.attributes == {}


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("perspective = 3", "perspective must be a table"),
        ("[perspectives]", "there is no setting 'perspectives'; did you mean 'perspective'"),
        ("[perspective]\nattribute = {}", "perspective has no 'attribute'; did you mean 'attributes'"),
        ("[perspective]\nattributes = 3", "perspective.attributes must be a table"),
        ('[perspective]\naddress = "scores.example.org"', "perspective.address must be like https://"),
        ("[perspective.attributes]\nTOXICITY = {}", "perspective.attributes.TOXICITY must have a class"),
        ('[perspective.attributes]\nTOXICITY = {class = "toxic"}', "TOXICITY must have languages"),
        ('[perspective.attributes]\ntoxicity = {class = "a"}', "is not an attribute name"),
        (
            '[perspective.attributes]\nA = {class = 3, languages = ["en"]}',
            "perspective.attributes.A.class must be a word",
        ),
        ('[perspective.attributes]\nA = {class = "a", languages = ["English!"]}', "'English!' is not a language"),
        ('[moderations.categories]\nhats = {class = "a", threshold = 0.5}', "no such category; did you mean 'hate'"),
        ('[moderations.categories]\nhate = {class = "a"}', "moderations.categories.hate must have a threshold"),
        ('[moderations.categories]\nhate = {class = "a", threshold = 2}', "must be above 0, and 1 at most"),
        ('[moderations.categories]\nhate = {class = "a", threshold = true}', "hate.threshold must be a number"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_place(tmp_path: Path, toml: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, toml)
    assert says in str(caught.value)
    assert "serve.toml" in str(caught.value)
