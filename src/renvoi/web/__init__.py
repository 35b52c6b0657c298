"""Search page and JSON API."""
