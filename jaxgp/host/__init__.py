"""The table at which people, engines and programs meet, one move at a time, on the host."""
