"""Language: words, sentences, dates and speakers."""
