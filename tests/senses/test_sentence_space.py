"""The space in which pictures and sentences are compared."""

import numpy as np

from cookscribe.learning.sight.space import KNOWN, learn_space, vocabulary_of
from cookscribe.senses.sentence_space import MEANING, bags_of

SENTENCES = ["fry the onions"] * KNOWN + ["cut the lamb"] * KNOWN + ["cut the pork"] * (KNOWN + 1) + ["soak saffron"]


def test_words_that_enough_sentences_have_count_and_rare_ones_more() -> None:
    words, rarity = vocabulary_of(SENTENCES)
    assert words == ("cut", "fry", "lamb", "onion", "pork"), "no filler, no word of a single sentence"
    assert rarity[words.index("lamb")] > rarity[words.index("pork")] > rarity[words.index("cut")]


def test_a_bag_has_length_one_whatever_the_number_of_words() -> None:
    bags = bags_of(["fry onion", "Frying? onions, onions!", "saffron"], {"fry": 0, "onion": 1}, np.array([3.0, 4.0]))
    np.testing.assert_allclose(bags, [[0.6, 0.8], [0.0, 1.0], [0.0, 0.0]])


def test_sentences_of_one_meaning_are_told_apart_by_their_words() -> None:
    same = np.tile(np.eye(MEANING)[0], (len(SENTENCES), 1))
    _, space = learn_space(SENTENCES, same)
    vectors = space(SENTENCES, same)
    np.testing.assert_allclose(vectors.mean(axis=0), 0.0, atol=1e-5)
    lamb, other_lamb, pork = space(["cut the lamb", "the lamb is cut", "cut the pork"], same[:3])
    np.testing.assert_allclose(lamb, other_lamb, atol=1e-6)
    assert np.linalg.norm(lamb - pork) > 0.5


def test_the_main_directions_keep_the_distances() -> None:
    random = np.random.default_rng(0)
    meanings = random.normal(size=(len(SENTENCES), 3)) @ random.normal(size=(3, MEANING)) / 30
    words, space = learn_space(SENTENCES, meanings)
    rarity = vocabulary_of(SENTENCES)[1]
    bags = bags_of(SENTENCES, {word: n for n, word in enumerate(words)}, rarity)
    vectors = space(SENTENCES, meanings)
    both = np.concatenate([meanings, bags], axis=1)
    for one, other in ((0, 9), (9, 20), (3, 25)):
        expected = np.linalg.norm(both[one] - both[other])
        assert abs(np.linalg.norm(vectors[one] - vectors[other]) - expected) < 1e-4
