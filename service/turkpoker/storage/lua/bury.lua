--[[
An order to the bank that cannot be carried out goes to the dead letters.

Input
  KEYS[1] outbox   KEYS[2] dead letters
  ARGV[1] entry    ARGV[2] why

Output
  {'ok'}; {'gone'}: it is not there (any more)
]]

local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry then
    return { 'gone' }
end
local fields = entry[2]
fields[#fields + 1] = 'y'
fields[#fields + 1] = ARGV[2]
redis.call('XADD', KEYS[2], '*', unpack(fields))
redis.call('XDEL', KEYS[1], ARGV[1])
return { 'ok' }
