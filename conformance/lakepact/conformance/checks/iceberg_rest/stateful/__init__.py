"""Random sequences of requests, and the model that predicts their answers."""
