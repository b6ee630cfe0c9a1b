"""Rasa custom actions: one module per skill. An action reads slots, asks the explainer, utters, returns events."""
