"""Tables of documents about games for one."""
