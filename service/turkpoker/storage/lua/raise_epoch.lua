--[[
The store has lost writes: a version went backwards. From now on it counts in a new epoch.

Input
  KEYS[1] table hash
  ARGV[1] epoch that the caller knew   ARGV[2] the highest version of it that he saw

Output
  {'ok', epoch} raised; {'there', epoch}: somebody else has raised it, or nothing was lost; {'gone'}
]]

local held = redis.call('HMGET', KEYS[1], 'v', 'e')
if not held[1] then
    return { 'gone' }
end
if held[2] ~= ARGV[1] or tonumber(held[1]) >= tonumber(ARGV[2]) then
    return { 'there', held[2] }
end
return { 'ok', tostring(redis.call('HINCRBY', KEYS[1], 'e', 1)) }
