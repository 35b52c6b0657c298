"""Prompt > reply, from any OpenAI-compatible endpoint or from batch files.

`calls` says what is asked, `cache` keeps every reply, `client` asks, `batch` writes and reads files for offline runs,
`replies` takes text apart strictly, `cost` counts tokens and money, `prompts` reads templates.
"""
