"""Studies of tuning: what learning constants by gradient gives."""
