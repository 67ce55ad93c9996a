"""How the time of whole games grows: players of known order, laws fitted to times, and the report."""
