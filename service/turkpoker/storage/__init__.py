"""Tables kept in Redis or Valkey: keys, scripts, sealing, the event log, and a private server for who
has none.
"""
