"""The parts of check_words.py: `texts` extracts the sentences of a file, `rules` finds the patterns, `links` follows the links of pages."""
