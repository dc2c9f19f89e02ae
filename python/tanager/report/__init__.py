"""Comparisons and networks as something to read: terminal, Markdown, LaTeX, CSV, HTML and plots."""
