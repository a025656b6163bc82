"""What clients of Delta Sharing have to do."""
