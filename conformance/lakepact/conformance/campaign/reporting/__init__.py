"""What a run says, for people: facts, drawn from its tables, and two ways to write them down."""
