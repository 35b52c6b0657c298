"""Identifiers > raw files, politely."""
