"""Job 1, statutes: a context-dependent retrieval benchmark from the references in acts."""
