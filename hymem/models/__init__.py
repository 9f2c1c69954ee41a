"""Who answers: language models and embedding models, each behind one protocol, and the reading of what they answer."""
