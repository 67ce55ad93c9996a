"""What tables of several documents are made with: cells as text, families of comparisons, learning curves."""
