"""What is known of a compiled program without running it on its device: launches, loops, iterations."""
