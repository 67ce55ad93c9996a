"""The page: runs and games in a browser on this machine. The only room that needs the extra `[web]`."""
