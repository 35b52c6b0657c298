"""Weighting functions: one small pure function a file, its paper named."""
