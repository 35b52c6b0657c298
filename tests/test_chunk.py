from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from renvoi import ingest
from renvoi.chunk import CHUNK_LEVELS, Chunks, chunk_corpus
from renvoi.store import corpus_from
from renvoi.tree import TreeBuilder
from renvoi.types import Document, SourceFile


def chunks(tree: TreeBuilder, jurisdiction: str) -> Chunks:
    provisions = tree.provisions()
    source = SourceFile("x", "", "test")
    document = Document(
        tree.document_id, jurisdiction, "da", "act", "T", (), date(2020, 1, 1), "as_enacted", source, provisions
    )
    return chunk_corpus(corpus_from([document], [], {}, {}))


def danish() -> TreeBuilder:
    tree = TreeBuilder("d", "x")
    with (
        tree.open("chap", "1", label="Kapitel 1", heading="Fyr", absolute=True, kind="division"),
        tree.open("sec", "1", label="§ 1.", absolute=True),
    ):
        with tree.open("subsec", "1"):
            tree.text("Fyret skal:")
            with tree.open("point", "1", label="1)"):
                tree.text("lyse, og")
            with tree.open("point", "2", label="2)"):
                tree.text("blinke.")
            tree.text("Dog ikke om dagen.")
        with tree.open("subsec", "2", label="Stk. 2."):
            tree.text("(Ophævet)")
            tree.repealed()
    with tree.open("sec", "2", label="§ 2.", absolute=True):
        tree.text("Vagten har:")
        with tree.open("point", "1", label="1)"):
            tree.text("nøglen.")
    return tree


def test_a_danish_chunk_is_a_stk_with_its_items_and_a_section_where_it_has_none() -> None:
    made = chunks(danish(), "da")

    assert [(c.id, c.text) for c in made.chunks] == [
        ("d~sec_1__subsec_1", "Fyret skal: 1) lyse, og 2) blinke. Dog ikke om dagen."),
        ("d~sec_2", "Vagten har: 1) nøglen."),
    ]
    assert made.chunks[0].labels == ("Kapitel 1 Fyr", "§ 1.")
    assert made.counts == {"chunks": 2, "repealed": 1}


def test_every_provision_knows_the_chunks_that_hold_it() -> None:
    made = chunks(danish(), "da")

    assert made.holders["d~chap_1"] == ("d~sec_1__subsec_1",)
    assert made.holders["d~sec_1__subsec_1__point_2"] == ("d~sec_1__subsec_1",)
    assert "d~sec_1__subsec_2" not in made.holders


def test_a_polish_chunk_is_a_leaf_with_lead_in_and_tail_beside_it() -> None:
    tree = TreeBuilder("p", "x")
    with tree.open("art", "1", label="Art. 1.", absolute=True), tree.open("para", "1", label="1."):
        tree.text("Kto latarnię:")
        with tree.open("point", "1", label="1)"):
            tree.text("gasi,")
        with tree.open("point", "2", label="2)"):
            tree.text("niszczy")
        tree.text("– podlega karze.")

    made = chunks(tree, "pl")

    assert [(c.id, c.text, c.lead_ins) for c in made.chunks] == [
        ("p~art_1__para_1", "Kto latarnię:", ()),
        ("p~art_1__para_1__point_1", "gasi,", ("Kto latarnię: … – podlega karze.",)),
        ("p~art_1__para_1__point_2", "niszczy", ("Kto latarnię: … – podlega karze.",)),
        ("p~art_1__para_1__tail_1", "– podlega karze.", ()),
    ]


@pytest.mark.parametrize("jurisdiction", ["da", "pl"])
def test_quoted_provisions_stay_in_the_chunk_of_the_amending_provision(jurisdiction: str) -> None:
    tree = TreeBuilder("d", "x")
    with tree.open("sec", "1", label="§ 1", absolute=True):
        tree.text("I fyrloven foretages følgende ændringer:")
        with tree.open("point", "1", label="1."):
            tree.text("Efter § 4 indsættes:")
            with (
                tree.open("quote", "1", kind="quotation", state="quoted", scope=True),
                tree.open("sec", "4a", label="§ 4 a.", absolute=True),
            ):
                tree.text("Tågehornet lyder.")
        with tree.open("point", "2", label="2."):
            tree.text("§ 7 ophæves.")

    made = chunks(tree, jurisdiction)

    assert [c.text for c in made.chunks][-2:] == ["Efter § 4 indsættes: § 4 a. Tågehornet lyder.", "§ 7 ophæves."]
    assert made.chunks[-1].lead_ins == ("I fyrloven foretages følgende ændringer:",)
    assert made.holders["d~sec_1__point_1__quote_1__sec_4a"] == ("d~sec_1__point_1",)


def test_a_text_above_repealed_provisions_only_is_a_chunk_of_its_own() -> None:
    tree = TreeBuilder("d", "x")
    with tree.open("sec", "1", label="§ 1.", absolute=True):
        tree.text("Fælles tekst.")
        with tree.open("subsec", "1"):
            tree.text("(Ophævet)")
            tree.repealed()

    assert [c.text for c in chunks(tree, "da").chunks] == ["Fælles tekst."]


@pytest.mark.parametrize("jurisdiction", CHUNK_LEVELS)
def test_no_operative_word_of_a_real_act_is_lost(data: Path, jurisdiction: str) -> None:
    corpus = ingest.ingest([data / "statutes" / "da" / "lexdania" / "2024-434.xml"], jurisdiction=jurisdiction).corpus

    made = chunk_corpus(corpus)

    kept = " ".join(part for c in made.chunks for part in (*c.lead_ins, c.text))
    operative = corpus.provisions.filter(
        (corpus.provisions["state"] != "repealed")
        & corpus.provisions["kind"].is_in(["leaf", "lead_in", "tail", "table", "annex"])
    )
    lost = [text for text in operative["text"] if text not in kept]
    assert [text for text in lost if not text.startswith("(Udela")] == []
