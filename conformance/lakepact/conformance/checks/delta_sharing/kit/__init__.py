"""What checks of several areas share: the lab, requests, lines of answers, and the shared tables to read."""
