from sourcebook.providers.inference.prompts import Prompts, named_prompts


def test_prompts_are_found_under_the_names_of_sentence_transformers() -> None:
    assert named_prompts({"query": "q: ", "document": "d: "}) == Prompts("q: ", "d: ")
    assert named_prompts({"query": "q: ", "passage": "p: "}) == Prompts("q: ", "p: ")
    assert named_prompts({"query": None, "document": None}) == Prompts()


def test_a_given_prompt_wins_even_if_it_is_empty() -> None:
    saved = Prompts("q: ", "d: ")
    assert saved.overridden(None, None) == saved
    assert saved.overridden("", "x: ") == Prompts("", "x: ")
