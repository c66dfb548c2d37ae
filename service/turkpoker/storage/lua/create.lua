--[[
A new table, once.

Input
  KEYS[1] table hash   KEYS[2] event log   KEYS[3] lobby   KEYS[4] lobby entries
  KEYS[5] audit log of the table   KEYS[6] audit log of the shard   KEYS[7] flag of the shard: no table may be made
  KEYS[8] lobby players   KEYS[9] deadlines of the shard
  ARGV[1] table id     ARGV[2] sealed state of version 1   ARGV[3] sealed events of version 1   ARGV[4] lobby entry
  ARGV[5] sealed audit records, ARGV[6] number and ARGV[7] life in ms of the entries to keep of them
  ARGV[8] mark of the host   ARGV[9] deadline in ms from now; '' for none

Output
  {'ok', now}; {'there'}: the id is taken, nothing was written
  {'draining'}: an operator lets no table be made, nothing was written
  {'damaged', what}: a key holds something else than it should
]]

local at = redis.call('TIME')
local now = at[1] * 1000 + math.floor(at[2] / 1000)

local kinds = { 'hash', 'stream', 'zset', 'hash', 'stream', 'stream', 'string', 'zset', 'zset' }
for i = 1, #KEYS do
    local kind = redis.call('TYPE', KEYS[i]).ok
    if kind ~= 'none' and kind ~= kinds[i] then
        return { 'damaged', 'key ' .. i .. ' is a ' .. kind }
    end
end
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
    return { 'there' }
end
if redis.call('EXISTS', KEYS[7]) == 1 then
    return { 'draining' }
end

local deadline = ARGV[9] == '' and '' or string.format('%.0f', now + ARGV[9])
redis.call('XADD', KEYS[2], '1-0', 'e', 0, 't', now, 'd', deadline, 'b', ARGV[3])
redis.call('HSET', KEYS[1], 'v', 1, 'e', 0, 's', ARGV[2], 'd', deadline, 'c', now, 'n', '', 't', now)
if deadline ~= '' then
    redis.call('ZADD', KEYS[9], deadline, ARGV[1])
end
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('HSET', KEYS[4], ARGV[1], ARGV[4])
redis.call('ZADD', KEYS[8], 0, ARGV[8] .. ':' .. ARGV[1])
local oldest = string.format('%.0f', now - ARGV[7])
for i = 5, 6 do
    redis.call('XADD', KEYS[i], '*', 'i', ARGV[1], 'v', 1, 'b', ARGV[5])
    redis.call('XTRIM', KEYS[i], 'MINID', oldest)
    redis.call('XTRIM', KEYS[i], 'MAXLEN', ARGV[6])
    redis.call('PEXPIRE', KEYS[i], ARGV[7])
end
return { 'ok', now }
