"""Job 2, case law: a multi-level citation benchmark from judgments."""
