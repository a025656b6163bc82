"""The kit of all areas: the lab, builders of requests, and assertions about answers."""
