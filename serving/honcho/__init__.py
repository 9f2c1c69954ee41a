"""The Honcho server: HyMem behind the HTTP interface that honcho-ai calls."""
