"""Provisions > the text that stands around them. One file a way."""
