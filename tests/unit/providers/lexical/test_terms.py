"""Which terms a text has."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from sourcebook.providers.lexical.terms import MAX_IDENTIFIER_LENGTH, TermReader

ENGLISH = TermReader("english")


def exact(text: str) -> set[str]:
    return {term.removeprefix("=") for term in ENGLISH.read(text).exact}


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Pass `--no-minify` to skip it.", "--no-minify"),
        ("Pass `--no-minify` to skip it.", "no-minify"),
        ("Set HTTP_PROXY before you start.", "http_proxy"),
        ("node.create_publisher(String)", "node.create_publisher"),
        ("Since v1.2.3, it is on.", "1.2.3"),
        ("Edit /etc/kubernetes/admin.conf first.", "admin.conf"),
        ("It is written in C++.", "C++"),
        ("See rust-lang/book.", "rust-lang"),
    ],
)
def test_an_identifier_is_a_term_as_it_is_written(written: str, asked: str) -> None:
    assert exact(asked) <= exact(written)
    assert exact(asked)


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("create_publisher", ("creat", "publish")),
        ("createPublisher", ("creat", "publish", "createpublish")),
        ("HTTPServer", ("http", "server", "httpserver")),
        ("HTTP_PROXY", ("http", "proxi")),
        ("E0382", ("e0382",)),
        ("kube-apiserver.yaml", ("kube", "apiserv", "yaml")),
    ],
)
def test_an_identifier_is_also_the_words_that_it_consists_of(
    identifier: str, words: tuple[str, ...]
) -> None:
    assert ENGLISH.read(identifier).words == words


def test_words_are_stemmed_and_in_lower_case() -> None:
    assert ENGLISH.read("Robots walking").words == ENGLISH.read("robot walks").words


def test_stop_words_are_no_terms() -> None:
    assert ENGLISH.read("What is the speed of it?").words == ("speed",)
    assert ENGLISH.read("Don’t, and it's").words == ()


def test_pairs_are_neighbours_once_stop_words_are_gone() -> None:
    assert ENGLISH.read("the speed of the arm").pairs == ("speed arm",)


def test_a_plain_word_is_no_identifier() -> None:
    assert not exact("An ordinary sentence. And another one!")


def test_long_encoded_data_is_no_identifier() -> None:
    assert not exact("/".join(["QUJD" * 5] * 20)[: MAX_IDENTIFIER_LENGTH + 1].replace("/", "-"))


def test_each_sign_of_chinese_and_japanese_is_a_word() -> None:
    assert ENGLISH.read("机器人").words == ("机", "器", "人")
    assert ENGLISH.read("机器人").pairs == ("机 器", "器 人")


def test_the_script_decides_the_stemmer_of_words_that_are_not_latin() -> None:
    assert ENGLISH.read("роботы").words == ENGLISH.read("робота").words


def test_words_are_stemmed_in_the_language_that_was_chosen() -> None:
    german = TermReader("german")
    assert german.read("die Häuser").words == german.read("das Haus").words


def test_full_width_letters_are_the_same_letters() -> None:
    assert ENGLISH.read("ＡＢＣ").words == ENGLISH.read("abc").words


def test_the_same_text_is_read_alike_by_many_threads() -> None:
    texts = [f"walking robots number{n} create_publisher" for n in range(200)]
    alone = [TermReader("english").read(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ENGLISH.read, texts)) == alone
