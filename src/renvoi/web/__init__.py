"""The search page and its JSON API: statutes and judgments with references that open in place, on this machine."""
