"""What is done with finished champions: measured, exported."""
