--[[
A table's deadline is put off, after a time in which nobody could act.

Input
  KEYS[1] table hash   KEYS[2] deadlines of the shard
  ARGV[1] table id     ARGV[2] ms from now that are left at least

Output
  {'ok', deadline}; {'there'}: it has none, or one that is later
]]

local at = redis.call('TIME')
local wanted = at[1] * 1000 + math.floor(at[2] / 1000) + ARGV[2]
local held = tonumber(redis.call('HGET', KEYS[1], 'd') or '')
if not held or held >= wanted then
    return { 'there' }
end
local deadline = string.format('%.0f', wanted)
redis.call('HSET', KEYS[1], 'd', deadline)
redis.call('ZADD', KEYS[2], deadline, ARGV[1])
return { 'ok', deadline }
