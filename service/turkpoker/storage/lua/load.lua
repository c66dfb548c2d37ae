--[[
A table as it stands, and a kept answer, in one look.

Input
  KEYS[1] table hash   KEYS[2] kept answers of a player (only with a request id)
  ARGV[1] version, ARGV[2] epoch and ARGV[3] mark that the caller holds ('' for none): the state is sent only when
          they differ
  ARGV[4] request id or ''

Output
  {version, epoch, deadline or '', now, time of making, sealed state or '', kept answer with its hash or '',
   mark, time of the version}
  {} when there is no such table
]]

local at = redis.call('TIME')
local now = at[1] * 1000 + math.floor(at[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'v', 'e', 'd', 'c', 'n', 't')
if not held[1] then
    return {}
end
local state = ''
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] or held[5] ~= ARGV[3] then
    state = redis.call('HGET', KEYS[1], 's')
end
local kept = ''
if ARGV[4] ~= '' then
    kept = redis.call('HGET', KEYS[2], 'r:' .. ARGV[4]) or ''
end
return { tonumber(held[1]), held[2], held[3], now, tonumber(held[4]), state, kept, held[5], tonumber(held[6]) }
