"""Renvoi: read the references in law exactly, build retrieval benchmarks from them, and measure retrieval on them."""
