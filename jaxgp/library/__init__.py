"""What a notebook needs in few words; `import jaxgp` gives its names."""
