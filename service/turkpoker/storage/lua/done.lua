--[[
An order to the bank is carried out: it is taken off, and counted at its table, once however often this is told.

Input
  KEYS[1] outbox, or its dead letters   KEYS[2] table hash
  ARGV[1] entry   ARGV[2] chips that the bank has paid out, '0' for an order of another kind

Output
  {'ok'}; {'gone'}: it was taken off before
]]

if redis.call('XDEL', KEYS[1], ARGV[1]) == 0 then
    return { 'gone' }
end
-- A closed table may have gone meanwhile.
if ARGV[2] ~= '0' and redis.call('EXISTS', KEYS[2]) == 1 then
    redis.call('HINCRBY', KEYS[2], 'p', ARGV[2])
end
return { 'ok' }
