--[[
Who is at work on the outboxes, for one process at a time.

Input
  KEYS[1] lease
  ARGV[1] who asks   ARGV[2] ms for which others keep off; '0' gives the lease back

Output
  1: it is his now (or given back); 0: another process has it
]]

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
    return 0
end
if ARGV[2] == '0' then
    redis.call('DEL', KEYS[1])
else
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 1
