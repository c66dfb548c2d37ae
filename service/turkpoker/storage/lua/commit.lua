--[[
One command on a table: its whole effect, or none of it.

Input
  KEYS[1] table hash        KEYS[2] event log        KEYS[3] deadlines of the shard
  KEYS[4] lobby             KEYS[5] lobby entries    KEYS[6] finished hands
  KEYS[7] outbox of the shard
  KEYS[8] audit log of the table                     KEYS[9] audit log of the shard
  KEYS[10] flag of the shard: no hand may begin      KEYS[11] lobby players
  KEYS[12] kept answers of the caller (only with a request id)
  The rest: the index of finished hands of each player of each hand that ended
  ARGV[1]  version decided on          ARGV[2]  epoch decided on
  ARGV[3]  mark of the commit decided on, a space, mark of this commit: a command sent twice by the connection is
           recognised, and so is another commit of the same version
  ARGV[4]  sealed state                ARGV[5]  sealed events
  ARGV[6]  deadline: ms from now, a space, moment in ms; the earlier counts, each may be missing
  ARGV[7]  'any', 'in_time MOMENT' (only before that moment in ms and the grace) or 'due MOMENT' (only after them);
           without a moment answers are in time, and nothing is due
  ARGV[8]  grace in ms                 ARGV[9]  table id
  ARGV[10] lobby entry; '' to take it off, '=' to keep it
  ARGV[11] '1' where the log may be trimmed up to this commit: a hand begins, or none is on; else '0'
  ARGV[12] age in ms and ARGV[13] number of log entries to keep
  ARGV[14] request id or ''            ARGV[15] hash of its payload     ARGV[16] answer to keep
  ARGV[17] number and ARGV[18] life in ms of kept answers
  ARGV[19] life in ms of a closed table, '0' while it is open
  ARGV[20] number and ARGV[21] life in ms of finished hands to keep
  ARGV[22] for the outbox: the entry that this carries out ('' for none), then the sealed orders, each behind its
           length in four bytes; '' where there is neither
  ARGV[23] sealed audit records or '', ARGV[24] number and ARGV[25] life in ms of the entries to keep of them
  ARGV[26] '1' where a hand begins
  ARGV[27] and ARGV[28] members to add to the lobby players and to take off them, separated by spaces
  ARGV[29], ARGV[30], ARGV[31] ... number, sealed record and number of players of each hand that ended

Output
  {'ok', version, epoch, deadline or '', now}: done; {'same', ...}: done by an earlier sending of this very commit
  {'kept', answer, now}: this request has been carried out before; {'reused'}: its id stands for another request
  {'conflict', version, epoch}: another version is there; {'gone'}: no such table
  {'early', now}, {'late', now}: the clock forbids it
  {'draining'}: a hand would begin, and an operator lets none begin
  {'damaged', what}: a key holds something else than it should
Nothing is written unless the answer is 'ok'.
]]

local at = redis.call('TIME')
local now = at[1] * 1000 + math.floor(at[2] / 1000)

local request = ARGV[14]
local first_index = request ~= '' and 13 or 12
local kinds = {
    'hash', 'stream', 'zset', 'zset', 'hash', 'stream', 'stream', 'stream', 'stream', 'string', 'zset', 'hash'
}
-- Of a key that only some commits touch, those that do ask.
local untouched = {
    [4] = ARGV[10] ~= '', [5] = ARGV[10] == '=', [6] = not ARGV[29], [7] = ARGV[22] == '',
    [8] = ARGV[23] == '', [9] = ARGV[23] == '', [10] = ARGV[26] ~= '1', [11] = ARGV[27] == '' and ARGV[28] == ''
}
for i = 1, #KEYS do
    local kind = untouched[i] and 'none' or redis.call('TYPE', KEYS[i]).ok
    if kind ~= 'none' and kind ~= (i >= first_index and 'zset' or kinds[i]) then
        return { 'damaged', 'key ' .. i .. ' is a ' .. kind }
    end
end

if request ~= '' then
    local kept = redis.call('HGET', KEYS[12], 'r:' .. request)
    if kept then
        if string.sub(kept, 1, #ARGV[15]) == ARGV[15] then
            return { 'kept', string.sub(kept, #ARGV[15] + 1), now }
        end
        return { 'reused' }
    end
end

local held = redis.call('HMGET', KEYS[1], 'v', 'e', 'd', 'n', 't', 'g')
if not held[1] then
    return { 'gone' }
end
local version = tonumber(ARGV[1]) + 1
local base_mark, mark = string.match(ARGV[3], '^(%x*) (%x+)$')
if held[2] == ARGV[2] and tonumber(held[1]) == version and held[4] == mark then
    return { 'same', version, held[2], held[3], tonumber(held[5]) }
end
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] or held[4] ~= base_mark then
    return { 'conflict', tonumber(held[1]), held[2] }
end
local timing, moment = string.match(ARGV[7], '^([%l_]+) ?(%d*)$')
local over = moment ~= '' and now >= moment + ARGV[8]
if timing == 'due' and not over then
    return { 'early', now }
end
if timing == 'in_time' and over then
    return { 'late', now }
end
if ARGV[26] == '1' and redis.call('EXISTS', KEYS[10]) == 1 then
    return { 'draining' }
end
if ARGV[29] then
    local newest = redis.call('XREVRANGE', KEYS[6], '+', '-', 'COUNT', 1)[1]
    if newest and tonumber(string.match(newest[1], '^%d+')) >= tonumber(ARGV[29]) then
        return { 'damaged', 'the hand is recorded already' }
    end
end

local outbox, place = {}, 1
while place <= #ARGV[22] do
    local size = struct.unpack('>I4', ARGV[22], place)
    outbox[#outbox + 1] = string.sub(ARGV[22], place + 4, place + 3 + size)
    place = place + 4 + size
end

local after, at = string.match(ARGV[6], '^(%d*) (%d*)$')
local deadline = math.min(after ~= '' and now + after or math.huge, tonumber(at) or math.huge)
deadline = deadline == math.huge and '' or string.format('%.0f', deadline)

-- The first write; where the log already holds this version it fails, and nothing has changed.
local added = redis.pcall('XADD', KEYS[2], version .. '-0', 'e', held[2], 't', now, 'd', deadline, 'b', ARGV[5])
if type(added) == 'table' and added.err then
    return { 'damaged', added.err }
end
redis.call('HSET', KEYS[1], 'v', version, 's', ARGV[4], 'd', deadline, 'n', mark, 't', now)
if deadline == '' then
    redis.call('ZREM', KEYS[3], ARGV[9])
else
    redis.call('ZADD', KEYS[3], deadline, ARGV[9])
end
if ARGV[10] == '' then
    redis.call('ZREM', KEYS[4], ARGV[9])
    redis.call('HDEL', KEYS[5], ARGV[9])
elseif ARGV[10] ~= '=' then
    redis.call('HSET', KEYS[5], ARGV[9], ARGV[10])
end

for member in string.gmatch(ARGV[27], '%S+') do
    redis.call('ZADD', KEYS[11], 0, member)
end
for member in string.gmatch(ARGV[28], '%S+') do
    redis.call('ZREM', KEYS[11], member)
end

if request ~= '' then
    local count = redis.call('HINCRBY', KEYS[12], 'q', 1)
    local place = 'i:' .. (count % ARGV[17])
    local oldest = redis.call('HGET', KEYS[12], place)
    if oldest then
        redis.call('HDEL', KEYS[12], 'r:' .. oldest)
    end
    redis.call('HSET', KEYS[12], place, request, 'r:' .. request, ARGV[15] .. ARGV[16])
    redis.call('PEXPIRE', KEYS[12], ARGV[18])
end

for i = 2, #outbox do
    redis.call('XADD', KEYS[7], '*', 't', ARGV[9], 'v', version, 'w', now, 'b', outbox[i])
end
if outbox[1] and outbox[1] ~= '' then
    redis.call('XDEL', KEYS[7], outbox[1])
end

local index = first_index
for i = 29, #ARGV, 3 do
    redis.call('XADD', KEYS[6], 'MAXLEN', '=', ARGV[20], ARGV[i] .. '-0', 't', now, 'b', ARGV[i + 1])
    redis.call('PEXPIRE', KEYS[6], ARGV[21])
    local name = string.format('%s/%015.0f', ARGV[9], tonumber(ARGV[i]))
    for _ = 1, tonumber(ARGV[i + 2]) do
        redis.call('ZADD', KEYS[index], now, name)
        redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', string.format('%.0f', now - ARGV[21]))
        redis.call('ZREMRANGEBYRANK', KEYS[index], 0, string.format('%.0f', -ARGV[20] - 1))
        redis.call('PEXPIRE', KEYS[index], ARGV[21])
        index = index + 1
    end
end
if ARGV[29] then
    -- A hand comes and at most a few too old ones go, so that no commit has much to do.
    for _, entry in ipairs(redis.call('XRANGE', KEYS[6], '-', '+', 'COUNT', 4)) do
        if now - entry[2][2] >= tonumber(ARGV[21]) then
            redis.call('XDEL', KEYS[6], entry[1])
        end
    end
end

if ARGV[23] ~= '' then
    local oldest = string.format('%.0f', now - ARGV[25])
    for i = 8, 9 do
        redis.call('XADD', KEYS[i], '*', 'i', ARGV[9], 'v', version, 'b', ARGV[23])
        redis.call('XTRIM', KEYS[i], 'MINID', oldest)
        redis.call('XTRIM', KEYS[i], 'MAXLEN', ARGV[24])
        redis.call('PEXPIRE', KEYS[i], ARGV[25])
    end
end

if ARGV[11] == '1' then
    -- 'g' remembers an earlier such moment and its time: once it is old enough, all before it goes.
    local mark_version, mark_time = string.match(held[6] or '', '^(%d+):(%d+)$')
    if mark_version and now - mark_time >= tonumber(ARGV[12]) then
        redis.call('XTRIM', KEYS[2], 'MINID', mark_version .. '-0')
        mark_version = nil
    end
    if not mark_version then
        redis.call('HSET', KEYS[1], 'g', version .. ':' .. now)
    end
    if version > tonumber(ARGV[13]) then
        redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-0', version - ARGV[13]))
    end
end

if ARGV[19] ~= '0' then
    redis.call('PEXPIRE', KEYS[1], ARGV[19])
    redis.call('PEXPIRE', KEYS[2], ARGV[19])
end
return { 'ok', version, held[2], deadline, now }
