"""The Rasa project and the `whyif` command."""
