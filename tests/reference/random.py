"""The seeded random numbers: xoshiro256++ from SplitMix64, as their authors publish them."""

from math import log

WORD = 2**64


class Xoshiro:
    """One seed, one sequence."""

    def __init__(self, seed: int) -> None:
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) % WORD
            z = seed
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
            self.state.append(z ^ (z >> 31))

    def word(self) -> int:
        """The next 64 bits."""

        def rotate(x: int, by: int) -> int:
            return (x << by | x >> (64 - by)) % WORD

        a, b, c, d = self.state
        result = (rotate((a + d) % WORD, 23) + a) % WORD
        c, d = c ^ a, d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << 17) % WORD, rotate(d, 45)]
        return result

    def uniform(self) -> float:
        """The middle of one of 2^52 equal cells of (0, 1)."""
        return ((self.word() >> 12) + 0.5) / 2**52

    def exponential(self) -> float:
        """An exponential number."""
        return -log(self.uniform())

    def below(self, n: int) -> int:
        """A whole number from 0 to n − 1: the high word of a product, those that would bias it left out."""
        while True:
            product = self.word() * n
            if product % WORD >= (WORD - n) % n:
                return product // WORD

    def shuffled(self, items: list) -> list:
        """In random order (Fisher and Yates, from the end)."""
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items
