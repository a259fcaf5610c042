"""Language: words, sentences, dates and who speaks."""
