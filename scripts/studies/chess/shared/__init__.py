"""What several studies of chess share."""
