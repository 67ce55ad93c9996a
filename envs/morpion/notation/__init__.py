"""Games of Morpion Solitaire as text: in the formats of the report, and in those of record collections."""
