"""Programs outside the project: started, limited, and ended with all that they have started."""
