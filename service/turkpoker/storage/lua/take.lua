--[[
The outbox of a shard, for one process at a time.

Input
  KEYS[1] lease   KEYS[2] outbox, or its dead letters
  ARGV[1] who asks   ARGV[2] ms for which others keep off; '0' gives the lease back   ARGV[3] number of entries at most

Output
  the entries, oldest first; none where another process is at work
]]

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    return {}
end
if ARGV[2] == '0' then
    redis.call('DEL', KEYS[1])
    return {}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', ARGV[3])
