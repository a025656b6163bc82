"""What checks of several areas share: the lab, builders of requests, and assertions about answers."""
