--[[
A new table, once.

Input
  KEYS[1] table hash   KEYS[2] event log   KEYS[3] lobby   KEYS[4] lobby entries
  ARGV[1] table id     ARGV[2] sealed state of version 1   ARGV[3] sealed events of version 1   ARGV[4] lobby entry

Output
  {'ok', now}; {'there'}: the id is taken, nothing was written
  {'damaged', what}: a key holds something else than it should
]]

local at = redis.call('TIME')
local now = at[1] * 1000 + math.floor(at[2] / 1000)

local kinds = { 'hash', 'stream', 'zset', 'hash' }
for i = 1, #KEYS do
    local kind = redis.call('TYPE', KEYS[i]).ok
    if kind ~= 'none' and kind ~= kinds[i] then
        return { 'damaged', 'key ' .. i .. ' is a ' .. kind }
    end
end
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
    return { 'there' }
end

redis.call('XADD', KEYS[2], '1-0', 'e', 0, 't', now, 'd', '', 'b', ARGV[3])
redis.call('HSET', KEYS[1], 'v', 1, 'e', 0, 's', ARGV[2], 'd', '', 'c', now, 'n', '', 't', now)
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('HSET', KEYS[4], ARGV[1], ARGV[4])
return { 'ok', now }
