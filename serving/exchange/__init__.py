"""What comes in from outside as files: JSON and JSON Lines become messages."""
