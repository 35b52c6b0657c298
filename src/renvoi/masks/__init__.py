"""Text > spans that give the answer away. One file a kind."""
