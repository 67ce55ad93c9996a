"""Studies of RARS: races of champions, seasons, and the fastest laps that a car can drive."""
