"""Corpus > scorer. One file a way to score."""
