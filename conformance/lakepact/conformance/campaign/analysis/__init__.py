"""Tables computed from verdicts and answers: coverage, divergences and regressions."""
