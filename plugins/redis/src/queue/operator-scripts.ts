import { queueScript } from './queue-library.js';

/** Bytes of messages after which a page ends early. */
const PAGE_BYTES = 8_000_000;

/** ARGV: subscriptions. Gives of each: all, delayed, retrying, active, dead, moment of enqueueing of the first or ''. */
export const STATISTICS = queueScript('statistics', `
  local reasons = { 'max_attempts', 'non_retryable', 'invalid_input', 'crash_limit', 'loop_limit', 'subscription_retired' }
  local later, found = '(' .. num(now()), {}
  for _, sub in ipairs(ARGV) do
    local key, dead = redis.call('HGET', q .. 'keys', sub) or '', 0
    for _, reason in ipairs(reasons) do dead = dead + redis.call('ZCARD', q .. 'dead:i:' .. reason .. ' ' .. key) end
    local first = redis.call('ZRANGE', part(sub, 'all'), 0, 0)[1]
    local oldest = first and num(headOf(redis.call('HGET', part(sub, 'm'), first))) or ''
    for _, count in ipairs({ redis.call('ZCARD', part(sub, 'all')), redis.call('ZCOUNT', part(sub, 'later'), later, '+inf'),
      redis.call('ZCOUNT', part(sub, 'retry'), later, '+inf'), redis.call('ZCOUNT', part(sub, 'held'), later, '+inf'), dead, oldest }) do found[#found + 1] = count end
  end
  return found`, false);

/** ARGV: subscription, most, id behind which to begin. Gives of each delivery in order: id, message, progress or '', due or '', 1 when it is claimed. */
export const PEEK = queueScript('peek', `
  local sub, bytes, found = ARGV[1], 0, {}
  for _, id in ipairs(redis.call('ZRANGE', part(sub, 'all'), '(' .. ARGV[3], '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[2])) do
    if bytes > ${PAGE_BYTES} then break end
    local message = redis.call('HGET', part(sub, 'm'), id)
    local lease = tonumber(redis.call('ZSCORE', part(sub, 'held'), id) or 0)
    local due = redis.call('ZSCORE', part(sub, 'later'), id) or redis.call('ZSCORE', part(sub, 'retry'), id)
    bytes = bytes + #message
    for _, value in ipairs({ id, message, redis.call('HGET', part(sub, 'p'), id) or '', due and tonumber(due) > now() and num(tonumber(due)) or '', lease > now() and 1 or 0 }) do
      found[#found + 1] = value
    end
  end
  return found`, false);

/** ARGV: subscription, id behind which to go on or '', last id or '', most. Removes what waits. Gives how many, where to go on or '', and the last id. */
export const PURGE = queueScript('purge', `
  local sub, after, last, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
  local fifo = has(flagsOf(sub), 'f')
  if last == '' then
    free(sub, fifo)
    last = redis.call('ZRANGE', part(sub, 'all'), -1, -1)[1] or '0'
  end
  local ids = redis.call('ZRANGE', part(sub, 'all'), after == '' and '-inf' or '(' .. after, last, 'BYSCORE', 'LIMIT', 0, most)
  local gone = {}
  for _, id in ipairs(ids) do if redis.call('HEXISTS', part(sub, 'e'), id) == 0 then gone[#gone + 1] = id end end
  remove(sub, fifo, gone)
  return { #gone, #ids == most and ids[#ids] or '', last }`);

/** ARGV: subscription, moment, most. Removes from the head of what is unrouted what was enqueued before. Gives how many, and 1 when there may be more. */
export const EXPIRE_UNROUTED = queueScript('expire-unrouted', `
  local sub, before, gone = ARGV[1], tonumber(ARGV[2]), {}
  local ids = redis.call('ZRANGE', part(sub, 'all'), 0, tonumber(ARGV[3]) - 1)
  for _, id in ipairs(ids) do
    if headOf(redis.call('HGET', part(sub, 'm'), id)) >= before then break end
    gone[#gone + 1] = id
  end
  remove(sub, false, gone)
  return { #gone, #gone == tonumber(ARGV[3]) and 1 or 0 }`);

/** ARGV: most. Forgets keys against repeats that may be used again; gives how many. */
export const FORGET_USED = queueScript('forget-used', `
  local scopes = redis.call('ZRANGE', q .. 'used:until', '-inf', num(now()), 'BYSCORE', 'LIMIT', 0, ARGV[1])
  many('ZREM', q .. 'used:until', scopes)
  many('HDEL', q .. 'used', scopes)
  return #scopes`, false);

/** Gives the names of the indexes of dead letters, `<reason> <key>`, each with how many it has. */
export const LETTER_INDEXES = queueScript('letter-indexes', `
  local found = {}
  for _, index in ipairs(redis.call('SMEMBERS', q .. 'dead:x')) do
    found[#found + 1] = index
    found[#found + 1] = redis.call('ZCARD', q .. 'dead:i:' .. index)
  end
  return found`, false);

/**
 * ARGV: 'new' or 'old', most, letter behind which to go on or '', how many indexes, the indexes, then letters to choose from (none: all). Gives letters, newest or
 * oldest first: of each number, head `<moment> <index>`, progress, message. A page of many bytes ends early; the last value is 1 when there are more.
 */
export const LETTERS = queueScript('letters', `
  local newest, most, after, indexes, chosen = ARGV[1] == 'new', tonumber(ARGV[2]), ARGV[3], {}, {}
  for n = 1, tonumber(ARGV[4]) do indexes[ARGV[4 + n]] = true end
  local ids = {}
  for at = 5 + tonumber(ARGV[4]), #ARGV do
    local head = redis.call('HGET', q .. 'dead:h', ARGV[at])
    local id = tonumber(ARGV[at])
    if head and indexes[string.match(head, '^%-?%d+ (.*)$')] and (after == '' or (newest and id < tonumber(after)) or (not newest and id > tonumber(after))) then
      ids[#ids + 1] = id
    end
  end
  if #ARGV < 5 + tonumber(ARGV[4]) then
    for index in pairs(indexes) do
      local key, bound = q .. 'dead:i:' .. index, after ~= '' and '(' .. after
      local some = newest and redis.call('ZRANGE', key, bound or '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, most + 1)
        or redis.call('ZRANGE', key, bound or '-inf', '+inf', 'BYSCORE', 'LIMIT', 0, most + 1)
      for _, id in ipairs(some) do ids[#ids + 1] = tonumber(id) end
    end
  end
  table.sort(ids, function(a, b) if newest then return a > b end return a < b end)
  local found, bytes, given = {}, 0, 0
  for _, id in ipairs(ids) do
    if given == most or bytes > ${PAGE_BYTES} then break end
    local message = redis.call('HGET', q .. 'dead:m', num(id))
    bytes = bytes + #message
    given = given + 1
    for _, value in ipairs({ num(id), redis.call('HGET', q .. 'dead:h', num(id)), redis.call('HGET', q .. 'dead:p', num(id)), message }) do found[#found + 1] = value end
  end
  found[#found + 1] = given < #ids and 1 or 0
  return found`, false);

const DROP = `
  local function drop(letter)
    local head = redis.call('HGET', q .. 'dead:h', letter)
    if not head then return end
    local index = string.match(head, '^%-?%d+ (.*)$')
    for _, name in ipairs({ 'm', 'p', 'h' }) do redis.call('HDEL', q .. 'dead:' .. name, letter) end
    redis.call('ZREM', q .. 'dead:at', letter)
    redis.call('ZREM', q .. 'dead:i:' .. index, letter)
    if redis.call('ZCARD', q .. 'dead:i:' .. index) == 0 then redis.call('SREM', q .. 'dead:x', index) end
    return index
  end
`;

/** ARGV: letters. Removes them; gives the indexes of those that were there. */
export const DISCARD = queueScript('discard', `
  ${DROP}
  local indexes = {}
  for _, letter in ipairs(ARGV) do indexes[#indexes + 1] = drop(letter) end
  return indexes`);

/** ARGV: moment, most. Removes letters from before; gives their indexes. */
export const EXPIRE_LETTERS = queueScript('expire-letters', `
  ${DROP}
  local indexes = {}
  for _, letter in ipairs(redis.call('ZRANGE', q .. 'dead:at', '-inf', '(' .. ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])) do indexes[#indexes + 1] = drop(letter) end
  return indexes`);

/** ARGV: version, then of each letter: number, subscription, due or '', message. Puts those that are still there at the end of the order. Gives false for another version, else how many. */
export const REDRIVE = queueScript('redrive', `
  ${DROP}
  if (redis.call('GET', q .. 'version') or '0') ~= ARGV[1] then return false end
  local count = 0
  for at = 2, #ARGV, 4 do
    local sub, due, message = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
    if drop(ARGV[at]) then
      local id = num(redis.call('INCR', q .. 'ids:last'))
      redis.call('ZADD', part(sub, 'all'), id, id)
      redis.call('HSET', part(sub, 'm'), id, message)
      if has(flagsOf(sub), 'f') then
        local _, group = headOf(message)
        redis.call('HSET', part(sub, 'g'), id, group)
        redis.call('ZADD', lane(sub, group), id, id)
      end
      if due ~= '' and tonumber(due) > now() then redis.call('ZADD', part(sub, 'later'), due, id) else release(sub, has(flagsOf(sub), 'f'), { id }) end
      count = count + 1
    end
  end
  return count`);
