import { queueScript } from './queue-library.js';

/** Gives the version, and number -> record, number -> flags. */
export const LIST = queueScript('list', `
  return { redis.call('GET', q .. 'version') or '0', redis.call('HGETALL', q .. 'subs'), redis.call('HGETALL', q .. 'flags') }`, false);

/** ARGV: of each topic that nobody has subscribed to: key, record. Gives it a place for what is unrouted. */
export const UNROUTED = queueScript('unrouted', `
  for at = 1, #ARGV, 2 do
    if redis.call('HEXISTS', q .. 'ids', ARGV[at]) == 0 then
      local sub = following('numbers')
      redis.call('HSET', q .. 'ids', ARGV[at], sub)
      redis.call('HSET', q .. 'keys', sub, ARGV[at])
      redis.call('HSET', q .. 'subs', sub, ARGV[at + 1])
      redis.call('HSET', q .. 'flags', sub, '')
      changed()
    end
  end`, false);

/** ARGV: member, key, how long the vote of one that has ended counts. Takes a vote back; gives the subscription when it is retired by that, else ''. */
export const RETIRE = queueScript('retire', `
  local member, sub, after = ARGV[1], redis.call('HGET', q .. 'ids', ARGV[2]), tonumber(ARGV[3])
  local flags = sub and flagsOf(sub)
  if not sub or has(flags, 'r') then return '' end
  redis.call('SREM', part(sub, 'votes'), member)
  for _, voter in ipairs(redis.call('SMEMBERS', part(sub, 'votes'))) do
    local ended = redis.call('ZSCORE', base .. 'ended', voter)
    if alive(voter) or (ended and tonumber(ended) + after > now()) then return '' end
  end
  redis.call('HSET', q .. 'flags', sub, has(flags, 'f') and 'fr' or 'r')
  changed()
  return sub`);

/** ARGV: subscription, id behind which to go on or '', most. Makes dead letters of what waits of a retired one. Gives where to go on or '', and 1 when the subscription went. */
export const BURY = queueScript('bury', `
  local sub, after, most = ARGV[1], ARGV[2], tonumber(ARGV[3])
  local flags = flagsOf(sub)
  if not has(flags, 'r') then return { '', 0 } end
  local fifo = has(flags, 'f')
  if after == '' then free(sub, fifo) end
  local ids = redis.call('ZRANGE', part(sub, 'all'), after == '' and '-inf' or '(' .. after, '+inf', 'BYSCORE', 'LIMIT', 0, most)
  local gone = {}
  for _, id in ipairs(ids) do
    if redis.call('HEXISTS', part(sub, 'e'), id) == 0 then
      bury(sub, redis.call('HGET', part(sub, 'm'), id), redis.call('HGET', part(sub, 'p'), id) or '0 0 ', 'subscription_retired', num(now()))
      gone[#gone + 1] = id
    end
  end
  remove(sub, fifo, gone)
  if #ids == most then return { ids[#ids], 0 } end
  return { '', goneIfEmpty(sub) and 1 or 0 }`);

/**
 * ARGV: member, then puts and pauses. Of a put: 'put', key, record, '1' for fifo, delay, key of what is unrouted in its topic or ''. Of a pause: 'pause', key, '1'
 * for paused. New subscriptions get what lies unrouted for their topic, with its ids: these are lower than those of whatever comes from now on.
 */
export const APPLY = queueScript('apply', `
  local member = ARGV[1]
  local function copy(sub, unrouted, delay)
    local from = 0
    while true do
      local ids = redis.call('ZRANGE', part(unrouted, 'all'), from, from + 499)
      if #ids == 0 then return end
      from = from + #ids
      for _, id in ipairs(ids) do
        local message = redis.call('HGET', part(unrouted, 'm'), id)
        local due = tonumber(redis.call('ZSCORE', part(unrouted, 'later'), id) or 0)
        if delay > 0 then due = math.max(due, headOf(message) + delay) end
        redis.call('ZADD', part(sub, 'all'), id, id)
        redis.call('HSET', part(sub, 'm'), id, message)
        if due > now() then redis.call('ZADD', part(sub, 'later'), num(due), id) end
      end
    end
  end
  local function empty(sub)
    for _, name in ipairs({ 'all', 'm', 'p', 'ready', 'later', 'retry' }) do redis.call('DEL', part(sub, name)) end
  end
  local function ungroup(sub)
    for _, group in ipairs(redis.call('HVALS', part(sub, 'g'))) do redis.call('DEL', lane(sub, group)) end
    redis.call('DEL', part(sub, 'g'))
  end
  local function arrange(sub, fifo)
    ungroup(sub)
    redis.call('DEL', part(sub, 'ready'))
    local from = 0
    while true do
      local ids = redis.call('ZRANGE', part(sub, 'all'), from, from + 499)
      if #ids == 0 then return end
      from = from + #ids
      for _, id in ipairs(ids) do
        local behind = false
        if fifo then
          local _, group = headOf(redis.call('HGET', part(sub, 'm'), id))
          redis.call('HSET', part(sub, 'g'), id, group)
          redis.call('ZADD', lane(sub, group), id, id)
          behind = redis.call('ZCARD', lane(sub, group)) > 1
        end
        local free = redis.call('HEXISTS', part(sub, 'e'), id) == 0
        if free and not behind and not waits(sub, id) then redis.call('ZADD', part(sub, 'ready'), id, id) end
      end
    end
  end
  local function put(key, record, fifo)
    local sub = redis.call('HGET', q .. 'ids', key)
    local flags = sub and flagsOf(sub)
    local fresh = not sub or has(flags, 'r')
    if not sub then
      sub = following('numbers')
      redis.call('HSET', q .. 'ids', key, sub)
      redis.call('HSET', q .. 'keys', sub, key)
    end
    redis.call('HSET', q .. 'subs', sub, record)
    redis.call('HSET', q .. 'flags', sub, (fifo and 'f' or '') .. (not fresh and has(flags, 'p') and 'p' or ''))
    redis.call('SADD', part(sub, 'votes'), member)
    return sub, fresh, not fresh and has(flags, 'f') ~= fifo
  end
  local fresh, pauses, at = {}, {}, 2
  while at <= #ARGV do
    if ARGV[at] == 'put' then
      local fifo, topic = ARGV[at + 3] == '1', ARGV[at + 5]
      local sub, new, turned = put(ARGV[at + 1], ARGV[at + 2], fifo)
      if new then fresh[#fresh + 1] = { sub = sub, fifo = fifo, delay = tonumber(ARGV[at + 4]), topic = topic } end
      if turned then arrange(sub, fifo) end
      at = at + 6
    else
      pauses[#pauses + 1] = { key = ARGV[at + 1], paused = ARGV[at + 2] == '1' }
      at = at + 3
    end
  end
  local routed = {}
  for _, one in ipairs(fresh) do
    local unrouted = one.topic ~= '' and redis.call('HGET', q .. 'ids', one.topic)
    if unrouted then
      copy(one.sub, unrouted, one.delay)
      routed[#routed + 1] = unrouted
    end
    arrange(one.sub, one.fifo)
  end
  for _, unrouted in ipairs(routed) do empty(unrouted) end
  for _, pause in ipairs(pauses) do
    local sub = redis.call('HGET', q .. 'ids', pause.key)
    local flags = sub and flagsOf(sub)
    if sub and not has(flags, 'r') then redis.call('HSET', q .. 'flags', sub, (has(flags, 'f') and 'f' or '') .. (pause.paused and 'p' or '')) end
  end
  changed()`);

/** ARGV: member, then subscriptions that it wants: its votes, under another number. */
export const VOTE = queueScript('vote', `
  for at = 2, #ARGV do
    if redis.call('HEXISTS', q .. 'subs', ARGV[at]) == 1 then redis.call('SADD', part(ARGV[at], 'votes'), ARGV[1]) end
  end`, false);

/** ARGV: subscriptions. Forgets votes that count nowhere any more. */
export const FORGET_VOTES = queueScript('forget-votes', `
  for _, sub in ipairs(ARGV) do
    for _, voter in ipairs(redis.call('SMEMBERS', part(sub, 'votes'))) do
      if not alive(voter) and not redis.call('ZSCORE', base .. 'ended', voter) then redis.call('SREM', part(sub, 'votes'), voter) end
    end
  end`, false);
