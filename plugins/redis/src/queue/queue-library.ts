import { Script } from '../store/script.js';

/**
 * What the queue's scripts have in common. A subscription has a number; its deliveries lie in keys `q:<number>:<part>`:
 *
 * | part | what |
 * |---|---|
 * | `all` | ids of everything that is not settled, in order |
 * | `m`, `p` | id -> message; id -> progress, of those that were tried |
 * | `ready` | ids that can be claimed |
 * | `later`, `retry` | id with the moment before which it is not to be claimed: never tried, and tried |
 * | `held`, `e` | claimed: id with the end of its lease; id -> `<member>.<seq>` of the claim |
 * | `g`, `l:<group>` | of a fifo subscription: id -> group; ids of the group in order, the first of which alone may be ready or held |
 * | `votes` | members that want the subscription |
 *
 * `q:given-up` has the last claim of a member that it has given up. `q:adopted` has what was taken in of another store, by subscription and message, with the
 * moment until which that is known. `q:subs`, `q:flags`, `q:keys` have what is known of a number: the record, `f` for fifo, `p` for paused, `r` for retired,
 * and the key as text; `q:ids` has the number of a key. What lies unrouted belongs to the subscription of the Step `''` and its topic. `q:version` grows with
 * each change of them. It and `q:numbers`, the last number, follow the time: what a server has forgotten is nothing else afterwards for an engine that knows it
 * still.
 * A message begins with `<moment of enqueueing>[=<group>]` and NUL. Moments are the store's.
 */
export const LIBRARY = `
  local q = base .. 'q:'
  local function part(sub, name) return q .. sub .. ':' .. name end
  local function many(command, key, args)
    for at = 1, #args, 1000 do redis.call(command, key, unpack(args, at, math.min(at + 999, #args))) end
  end
  local function flagsOf(sub) return redis.call('HGET', q .. 'flags', sub) or '' end
  local function has(flags, flag) return string.find(flags, flag, 1, true) ~= nil end
  local function lane(sub, group) return part(sub, 'l:' .. group) end
  local function headOf(message)
    local at, group = string.match(message, '^(%-?%d+)=?([^%z]*)%z')
    return tonumber(at), group
  end
  local function isHead(sub, id)
    local group = redis.call('HGET', part(sub, 'g'), id)
    return not group or redis.call('ZRANGE', lane(sub, group), 0, 0)[1] == id
  end
  local function waits(sub, id)
    local due = redis.call('ZSCORE', part(sub, 'later'), id) or redis.call('ZSCORE', part(sub, 'retry'), id)
    return due and tonumber(due) > now()
  end
  local function release(sub, fifo, ids)
    local ready = {}
    for _, id in ipairs(ids) do
      if not fifo or isHead(sub, id) then ready[#ready + 1] = id ready[#ready + 1] = id end
    end
    many('ZADD', part(sub, 'ready'), ready)
  end
  local function moveUp(sub, group)
    local head = redis.call('ZRANGE', lane(sub, group), 0, 0)[1]
    if head and redis.call('HEXISTS', part(sub, 'e'), head) == 0 and not waits(sub, head) then redis.call('ZADD', part(sub, 'ready'), head, head) end
  end
  local function remove(sub, fifo, ids)
    if #ids == 0 then return end
    for _, name in ipairs({ 'all', 'ready', 'later', 'retry', 'held' }) do many('ZREM', part(sub, name), ids) end
    for _, name in ipairs({ 'm', 'p', 'e' }) do many('HDEL', part(sub, name), ids) end
    if not fifo then return end
    local groups = {}
    for _, id in ipairs(ids) do
      local group = redis.call('HGET', part(sub, 'g'), id)
      if group then
        groups[group] = true
        redis.call('ZREM', lane(sub, group), id)
      end
    end
    many('HDEL', part(sub, 'g'), ids)
    for group in pairs(groups) do moveUp(sub, group) end
  end
  local function free(sub, fifo)
    local ended = redis.call('ZRANGE', part(sub, 'held'), '-inf', num(now()), 'BYSCORE', 'LIMIT', 0, 2000)
    many('ZREM', part(sub, 'held'), ended)
    many('HDEL', part(sub, 'e'), ended)
    release(sub, fifo, ended)
    for _, name in ipairs({ 'later', 'retry' }) do
      local due = redis.call('ZRANGE', part(sub, name), '-inf', num(now()), 'BYSCORE', 'LIMIT', 0, 2000)
      many('ZREM', part(sub, name), due)
      release(sub, fifo, due)
    end
  end
  local function nextOf(sub)
    local first
    for _, name in ipairs({ 'later', 'retry' }) do
      local due = tonumber(redis.call('ZRANGE', part(sub, name), 0, 0, 'WITHSCORES')[2])
      if due and (not first or due < first) then first = due end
    end
    return first and num(first) or ''
  end
  local function put_letter(letter, index, made)
    redis.call('HSET', q .. 'dead:m', letter, made.message)
    redis.call('HSET', q .. 'dead:p', letter, made.progress)
    redis.call('HSET', q .. 'dead:h', letter, made.at .. ' ' .. index)
    redis.call('ZADD', q .. 'dead:i:' .. index, letter, letter)
    redis.call('ZADD', q .. 'dead:at', made.at, letter)
    redis.call('SADD', q .. 'dead:x', index)
  end
  local function bury(sub, message, progress, reason, at)
    local index = reason .. ' ' .. redis.call('HGET', q .. 'keys', sub)
    put_letter(redis.call('INCR', q .. 'letters'), index, { at = at, message = message, progress = progress })
  end
  local function insert(sub, message, progress, due)
    local id, fifo = num(redis.call('INCR', q .. 'ids:last')), has(flagsOf(sub), 'f')
    redis.call('ZADD', part(sub, 'all'), id, id)
    redis.call('HSET', part(sub, 'm'), id, message)
    if progress ~= '0 0 ' then redis.call('HSET', part(sub, 'p'), id, progress) end
    if fifo then
      local _, group = headOf(message)
      redis.call('HSET', part(sub, 'g'), id, group)
      redis.call('ZADD', lane(sub, group), id, id)
    end
    if due ~= '' and tonumber(due) > now() then redis.call('ZADD', part(sub, string.sub(progress, 1, 4) ~= '0 0 ' and 'retry' or 'later'), due, id)
    else release(sub, fifo, { id }) end
  end
  local function following(name)
    local value = num(math.max(tonumber(redis.call('GET', q .. name) or 0) + 1, now()))
    redis.call('SET', q .. name, value)
    return value
  end
  local function changed() following('version') end
  local function goneIfEmpty(sub)
    if not has(flagsOf(sub), 'r') or redis.call('ZCARD', part(sub, 'all')) > 0 then return false end
    redis.call('HDEL', q .. 'ids', redis.call('HGET', q .. 'keys', sub))
    for _, name in ipairs({ 'subs', 'flags', 'keys' }) do redis.call('HDEL', q .. name, sub) end
    redis.call('DEL', part(sub, 'votes'))
    changed()
    return true
  end
`;

/** A script of the queue. */
export function queueScript(name: string, body: string, acknowledged = true): Script {
  return new Script(`queue.${name}`, LIBRARY + body, acknowledged);
}
