"""The tables of documents that are made from docs/data: a module for each document."""
