"""Human review of a benchmark: sample, store, page, agreement."""
