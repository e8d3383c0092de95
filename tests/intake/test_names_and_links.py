"""Names, ids and links: nothing invisible, nothing that passes for another, nothing that can run."""

from __future__ import annotations

import pytest

from scorer.guard import check_id, check_name, check_slug, https_link, paper, skeleton
from scorer.guard.links import paper_url
from scorer.snapshots.csv_text import guarded

BAD_NAMES = [
    ("right-to-left override", "Med\u202eGemma", "invisible-characters", "U+202E"),
    ("zero width space", "Med\u200bGemma", "invisible-characters", "U+200B"),
    ("isolate", "Med\u2066Gemma", "invisible-characters", "U+2066"),
    ("byte order mark", "\ufeffMedGemma", "invisible-characters", "U+FEFF"),
    ("emoji with joiner", "Med 👩\u200d⚕", "invisible-characters", "U+200D"),
    ("line break", "Med\nGemma", "invisible-characters", "U+000A"),
    ("led by a tab", "\t=1+1", "blank-around", "blank"),
    ("led by a carriage return", "\r=1+1", "blank-around", "blank"),
    ("private use", "Med\ue000Gemma", "invisible-characters", "U+E000"),
    ("unassigned", "Med\u0378Gemma", "invisible-characters", "U+0378"),
    ("line separator", "Med\u2028Gemma", "invisible-characters", "U+2028"),
    ("pile of marks", "q" + "\u0323\u0324\u0325\u0326" * 5 + "d", "mark-pile", "more than two marks"),
    ("200 marks", "M" + "\u0316" * 200 + "d", "long-name", "202 characters"),
    ("not NFC", "Cafe\u0301", "not-nfc", "NFC"),
    ("Cyrillic M", "МedGemma", "mixed-scripts", "U+041C"),
    ("Greek o", "Mοdel", "mixed-scripts", "U+03BF"),
    ("svg", "<svg/onload=top.name=1>", "angle-brackets", "< or >"),
    ("script end", "</script><b>x", "angle-brackets", "< or >"),
    ("attribute end", '"><a href=x', "angle-brackets", "< or >"),
    ("empty", "", "empty-name", "is empty"),
    ("only blanks", "   ", "empty-name", "is empty"),
    ("too long", "x" * 81, "long-name", "81 characters"),
]


@pytest.mark.parametrize(("name", "code", "words"), [c[1:] for c in BAD_NAMES], ids=[c[0] for c in BAD_NAMES])
def test_a_name_that_could_deceive_is_refused_with_its_code_points(name: str, code: str, words: str) -> None:
    said = check_name(name)
    assert said is not None
    found, message, hint = said
    assert found.replace("text", "name") == code
    assert words in message
    assert hint
    assert message.isprintable()


@pytest.mark.parametrize(
    "name",
    [
        "MedGemma 1.5 4B",
        "C++ / v1.0",
        "模型二",
        "日本語モデル",
        "한국어 모델",
        "Модель",
        "Modèle",
        "'-prompt-'",
        '=HYPERLINK("x")',
        "-2",
    ],
)
def test_ordinary_names_are_accepted(name: str) -> None:
    assert check_name(name) is None


def test_institutions_may_stand_in_two_scripts_but_no_word_may() -> None:
    assert check_name("МГУ (Moscow State University)", by_word=True) is None
    assert check_name("清华大学 Tsinghua", by_word=True) is None
    assert check_name("Моscow University", by_word=True) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MedGemma", "МedGemma"),
        ("MedGemma", "medgemma"),
        ("MedGemma", "Med Gemma"),
        ("MedGemma", "Med-Gemma"),
        ("model 10", "model lO"),
        ("RadAI", "RadAl"),
        ("MAIRA", "МАIRА"),
        ("CafeNet", "CaféNet"),
        ("Ａlpha", "Alpha"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"), [("MedGemma", "MedGemma 2"), ("Libra", "Zebra"), ("模型", "模型二")]
)
def test_names_that_differ_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(
    "slug",
    [
        "con",
        "aux",
        "nul.x",
        "com1",
        "a.",
        "a-",
        "..",
        ".",
        "",
        "x" * 200,
        "A",
        "a",
        "a b",
        "a/b",
        "a_b",
        "ä",
        "-a",
        "a..b",
    ],
)
def test_an_id_that_some_system_or_page_cannot_have_is_refused(slug: str) -> None:
    said = check_slug(slug)
    assert said is not None
    assert all(said)


@pytest.mark.parametrize("slug", ["zed", "maira-2", "medgemma-1.5-4b", "a1", "0x", "console"])
def test_ordinary_ids_are_accepted(slug: str) -> None:
    assert check_slug(slug) is None


@pytest.mark.parametrize(
    "study", ["CXR9001_IM-0007", "12_34", "1234", "42", "1e5", "patient90001_study1", "90051329123456789"]
)
def test_study_ids_are_opaque(study: str) -> None:
    assert check_id(study) is None


BAD_LINKS = [
    "http://example.org",
    "htp:/example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "https://",
    "https://example",
    "https://localhost/x",
    "https://printer.local/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://0x7f.1/x",
    "https://user:pass@example.org/",
    "https://user@example.org/",
    "https://example.org:8080/",
    "https://exa mple.org/",
    "https://example.org/a b",
    'https://example.org/"onload=x',
    "https://example.org/<script>",
    "https://example.org/a'b",
    "https://example.org\\@evil.org/",
    "https://example.org/\u202e",
    "https://еxample.org/",
    "//example.org/",
    "https://example.org/" + "x" * 600,
    " https://example.org/",
    "https://example.org/\n",
]


@pytest.mark.parametrize("link", BAD_LINKS)
def test_only_plain_public_https_links_are_accepted(link: str) -> None:
    assert https_link(link)


@pytest.mark.parametrize(
    "link", ["http://example.org", "javascript:alert(1)", "htp:/example", "//example.org/"]
)
def test_a_link_of_another_kind_is_told_that_only_https_is_accepted(link: str) -> None:
    assert https_link(link) == "only https:// links are accepted"


@pytest.mark.parametrize(
    "link",
    [
        "https://github.com/owner/repo",
        "https://example.org",
        "https://example.org:443/a/b?c=d&e=%20#f",
        "https://xn--bcher-kva.ch/x",
        "https://huggingface.co/a/b/resolve/main/x.jsonl.gz?download=true",
        "https://en.wikipedia.org/wiki/X_(y)",
    ],
)
def test_ordinary_links_are_accepted(link: str) -> None:
    assert https_link(link) == ""


@pytest.mark.parametrize(
    ("written", "identity", "url"),
    [
        ("2411.15122", "arXiv:2411.15122", "https://arxiv.org/abs/2411.15122"),
        ("arXiv:2411.15120v2", "arXiv:2411.15120v2", "https://arxiv.org/abs/2411.15120v2"),
        ("https://arxiv.org/pdf/2411.15122.pdf", "arXiv:2411.15122", "https://arxiv.org/abs/2411.15122"),
        ("cs.CV/0701001", "arXiv:cs.CV/0701001", "https://arxiv.org/abs/cs.CV/0701001"),
        (
            "10.1016/j.artmed.2023.102633",
            "doi:10.1016/j.artmed.2023.102633",
            "https://doi.org/10.1016/j.artmed.2023.102633",
        ),
        (
            "https://doi.org/10.1007/978-3-032-09569-5_35",
            "doi:10.1007/978-3-032-09569-5_35",
            "https://doi.org/10.1007/978-3-032-09569-5_35",
        ),
    ],
)
def test_a_paper_has_one_identity_whichever_way_it_is_written(written: str, identity: str, url: str) -> None:
    assert paper(written) == identity
    assert paper_url(identity) == url


@pytest.mark.parametrize(
    "written",
    [
        '10.1/"><x',
        "2411.15122v1;id",
        "2411.1512",
        "2413.15122",
        "10.1000/a b",
        "10.1000/\\input{x}",
        "10.1000/}",
        "arXiv:",
        "",
        "https://evil.org/2411.15122",
        "2411.15122\n",
    ],
)
def test_what_is_neither_arxiv_id_nor_doi_is_refused(written: str) -> None:
    assert paper(written) == ""


@pytest.mark.parametrize("cell", ['=HYPERLINK("http://x";"y")', "+1+1", "-2", "@SUM", "\t=1", "\r=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_quoted(cell: str) -> None:
    assert guarded(cell) == "'" + cell
    assert guarded("Model") == "Model"
