import { DEDUPE_MS } from '@treadle/api';

/**
 * `batchOf(at)` reads a batch from `ARGV` as `ENQUEUE` has it and decides on it; gives it, and where the next argument is. `writeBatch` writes one that has no
 * `full`, and `flush` ends with what is written all at once.
 */
export const ENQUEUEING = `
  local known, last, taken = {}, nil, 0
  local function of(sub)
    if not known[sub] then
      known[sub] = { count = redis.call('ZCARD', part(sub, 'all')), fifo = has(flagsOf(sub), 'f'), all = {}, m = {}, ready = {}, later = {} }
    end
    return known[sub]
  end
  local function put(list, a, b) list[#list + 1] = a list[#list + 1] = b end
  local function firstOf(id, scope, used, own)
    local before = redis.call('HGET', q .. 'used', scope)
    local till, first = string.match(before or '', '^(%-?%d+) (.*)$')
    if first and tonumber(till) > tonumber(used) then return first, false end
    if own[scope] then return own[scope].id, false end
    own[scope] = { id = id, till = num(tonumber(used) + ${DEDUPE_MS}) }
    return id, true
  end
  local function writeBatch(batch)
    local rows, own = batch.rows, batch.own
    last = last or tonumber(redis.call('GET', q .. 'ids:last') or 0)
    for scope, use in pairs(own) do
      redis.call('HSET', q .. 'used', scope, use.till .. ' ' .. use.id)
      redis.call('ZADD', q .. 'used:until', use.till, scope)
    end
    for _, row in ipairs(rows) do
      last, taken = last + 1, taken + 1
      local id, s = num(last), of(row.sub)
      put(s.all, id, id)
      put(s.m, id, row.message)
      s.count = s.count + 1
      local behind = false
      if s.fifo then
        local _, group = headOf(row.message)
        redis.call('HSET', part(row.sub, 'g'), id, group)
        redis.call('ZADD', lane(row.sub, group), id, id)
        behind = redis.call('ZCARD', lane(row.sub, group)) > 1
      end
      if row.due ~= '' and tonumber(row.due) > now() then put(s.later, row.due, id)
      elseif not behind then put(s.ready, id, id) end
    end
  end
  local function batchOf(at)
    local messages, most = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    at = at + 2
    local ids, rows, own, more, repeats = {}, {}, {}, {}, false
    for n = 1, messages do
      local id, scope, used, targets, message = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3]), ARGV[at + 4]
      at = at + 5
      local first, fresh = id, true
      if scope ~= '' and targets > 0 then first, fresh = firstOf(id, scope, used, own) end
      ids[n] = first
      repeats = repeats or not fresh
      for _ = 1, targets do
        if fresh then
          rows[#rows + 1] = { sub = ARGV[at], due = ARGV[at + 1], message = message }
          more[ARGV[at]] = (more[ARGV[at]] or 0) + 1
        end
        at = at + 2
      end
    end
    local full
    for sub, count in pairs(more) do if of(sub).count + count > most then full = sub end end
    return { ids = ids, rows = rows, own = own, repeats = repeats, full = full }, at
  end
  local function flush()
    if taken > 0 then redis.call('INCRBY', q .. 'ids:last', taken) end
    last, taken = nil, 0
    for sub, s in pairs(known) do
      many('ZADD', part(sub, 'all'), s.all)
      many('HSET', part(sub, 'm'), s.m)
      many('ZADD', part(sub, 'ready'), s.ready)
      many('ZADD', part(sub, 'later'), s.later)
    end
    known = {}
  end
`;

/** What tells whether a claim holds. ARGV of a claim: subscription, id, mark. */
export const HOLDS = `
  local living = {}
  local function isLiving(mark)
    local member = string.match(mark, '^%d+')
    if living[member] == nil then living[member] = alive(member) end
    return living[member]
  end
  local function holds(sub, id, mark)
    if not isLiving(mark) or redis.call('HGET', part(sub, 'e'), id) ~= mark then return false end
    return tonumber(redis.call('ZSCORE', part(sub, 'held'), id) or 0) > now()
  end
`;

/**
 * `settle(at)` ends a claim that holds by the settlement at that place of `ARGV`, `done(at, results)` those that hold of many that are done, and gives where the next
 * settlement is; `endAll` ends with what is done at once, and gives how many subscriptions went. Needs `HOLDS`.
 */
export const SETTLING = `
  local ended, order = {}, {}
  local function endOf(sub, id)
    if not ended[sub] then
      ended[sub] = {}
      order[#order + 1] = sub
    end
    table.insert(ended[sub], id)
  end
  local function letterOf(sub, id, progress, reason, at)
    bury(sub, redis.call('HGET', part(sub, 'm'), id), progress, reason, at)
    endOf(sub, id)
  end
  local function giveBack(sub, id, progress, due, flags)
    if has(flags, 'r') then return letterOf(sub, id, progress, 'subscription_retired', num(now())) end
    redis.call('ZREM', part(sub, 'held'), id)
    local tried = string.sub(progress, 1, 4) ~= '0 0 '
    if progress == '0 0 ' then redis.call('HDEL', part(sub, 'p'), id) else redis.call('HSET', part(sub, 'p'), id, progress) end
    if due ~= '' and tonumber(due) > now() then redis.call('ZADD', part(sub, tried and 'retry' or 'later'), due, id)
    else release(sub, has(flags, 'f'), { id }) end
  end
  local function done(at, results)
    local sub, mark, last = ARGV[at + 1], ARGV[at + 2], at + 3 + tonumber(ARGV[at + 3])
    if not isLiving(mark) then
      for _ = at + 4, last do results[#results + 1] = 0 end
      return last + 1
    end
    for from = at + 4, last, 1000 do
      local ids, held = { unpack(ARGV, from, math.min(from + 999, last)) }, {}
      local marks, ends = redis.call('HMGET', part(sub, 'e'), unpack(ids)), redis.call('ZMSCORE', part(sub, 'held'), unpack(ids))
      for n, id in ipairs(ids) do
        local still = marks[n] == mark and ends[n] and tonumber(ends[n]) > now()
        results[#results + 1] = still and 1 or 0
        if still then
          held[#held + 1] = id
          endOf(sub, id)
        end
      end
      if #held > 0 then redis.call('HDEL', part(sub, 'e'), unpack(held)) end
    end
    return last + 1
  end
  local function afterSettlement(at) return at + (ARGV[at] == 'done' and 4 or 7) end
  local function settle(at)
    local action, sub, id = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    redis.call('HDEL', part(sub, 'e'), id)
    if action == 'done' then endOf(sub, id)
    elseif action == 'return' then giveBack(sub, id, ARGV[at + 4], ARGV[at + 5], flagsOf(sub))
    else letterOf(sub, id, ARGV[at + 4], ARGV[at + 6], ARGV[at + 5]) end
  end
  local function endAll()
    local gone = 0
    for _, sub in ipairs(order) do
      local flags, ids = flagsOf(sub), ended[sub]
      if has(flags, 'f') then remove(sub, true, ids)
      else
        many('ZREM', part(sub, 'held'), ids)
        many('ZREM', part(sub, 'all'), ids)
        many('HDEL', part(sub, 'm'), ids)
        if redis.call('EXISTS', part(sub, 'p')) == 1 then many('HDEL', part(sub, 'p'), ids) end
      end
      if has(flags, 'r') and goneIfEmpty(sub) then gone = gone + 1 end
    end
    ended, order = {}, {}
    return gone
  end
`;
