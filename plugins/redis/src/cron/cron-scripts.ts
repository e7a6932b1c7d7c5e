import { Script } from '../store/script.js';

/** Records of a trigger that are kept, and spans of ticks whose records were removed. */
const KEPT_RUNS = 100;
const KEPT_SPANS = 1_000;

/** Fields of a run, in the order in which scripts take and give them. */
export const RUN_FIELDS = ['step', 'trigger', 'id', 'tick', 'fired', 'attempt', 'manual', 'missed', 'status', 'duration', 'trace', 'error'] as const;
const NAMES = RUN_FIELDS.map((name) => `'${name}'`).join(', ');

/**
 * NAME of a trigger: step, NUL, trigger. `s:NAME`: `since`, `paused`, `until` of a pause that ends by itself, `last`: newest tick with a record that was not manual. `r:ID`: a run; while it is running also
 * `holder` and `hand`, the member that runs it and which of its adapters, and `until`, when its lease is over. `t:NAME`: runs by tick; `o:NAME`: the same in the order
 * in which they were written; `u:NAME`: those that are running, by tick. `running`: those of all triggers. `f:NAME`: first ticks of spans, whole seconds apart, whose
 * records were removed, and `l:NAME` their last ticks; none of them is ever claimed again.
 */
const COMMON = `
  local root = base .. 'c:'
  local function run_of(id) return redis.call('HMGET', root .. 'r:' .. id, ${NAMES}) end
  local function is_free(id, judges)
    local held = redis.call('HMGET', root .. 'r:' .. id, 'holder', 'until')
    return not held[1] or judges == '1' and tonumber(held[2]) <= now() or not alive(held[1])
  end
  local function is_held(id, holder, hand)
    local held = redis.call('HMGET', root .. 'r:' .. id, 'holder', 'hand', 'status')
    return held[1] == holder and held[2] == hand and held[3] == 'running'
  end
  local function hold(id, holder, hand, lease)
    redis.call('HSET', root .. 'r:' .. id, 'holder', holder, 'hand', hand, 'until', num(now() + lease))
  end
  local function error_of_gone(holder)
    if alive(holder) then return nil end
    return redis.error_reply('GONE other engines took this one for gone, and it has not joined again yet')
  end
  local function let_go(id) redis.call('HDEL', root .. 'r:' .. id, 'holder', 'hand', 'until') end
`;

/** Now, then names of triggers. Gives of each: since, whether it is paused, the newest tick or '', and when the pause ends or ''. */
export const SCHEDULES = new Script('cron.schedules', `${COMMON}
  local found = {}
  for i = 2, #ARGV do
    redis.call('HSETNX', root .. 's:' .. ARGV[i], 'since', ARGV[1])
    local schedule = redis.call('HMGET', root .. 's:' .. ARGV[i], 'since', 'paused', 'last', 'until')
    found[i - 1] = { schedule[1], schedule[2] or '0', schedule[3] or '', schedule[4] or '' }
  end
  return found`);

/** Name of a trigger, '1' or '0', now, when the pause ends or ''. */
export const PAUSE = new Script('cron.pause', `${COMMON}
  local name = root .. 's:' .. ARGV[1]
  local known = redis.call('HMGET', name, 'paused', 'until', 'since')
  local over = tonumber(known[2] or '') or math.huge
  if known[1] ~= '1' or ARGV[2] == '1' then redis.call('HSETNX', name, 'since', ARGV[3])
  elseif over <= tonumber(ARGV[3]) then redis.call('HSET', name, 'since', num(math.max(tonumber(known[3]), over - 1)))
  else redis.call('HSET', name, 'since', ARGV[3]) end
  redis.call('HSET', name, 'paused', ARGV[2], 'until', ARGV[4])`);

const CLAIMING = `
  local function span_of(name, tick)
    local at, firsts = 0, nil
    repeat
      firsts = redis.call('ZRANGE', root .. 'f:' .. name, num(tick), '-inf', 'BYSCORE', 'REV', 'LIMIT', at, 10)
      for _, first in ipairs(firsts) do
        if (tick - tonumber(first)) % 1000 == 0 then return first, tonumber(redis.call('HGET', root .. 'l:' .. name, first)) end
      end
      at = at + 10
    until #firsts < 10
  end
  local function remember(name, tick, apart)
    local first, last = span_of(name, tick)
    if first and last >= tick then return end
    if first and not apart then
      redis.call('HSET', root .. 'l:' .. name, first, num(tick))
      return
    end
    redis.call('ZADD', root .. 'f:' .. name, num(tick), num(tick))
    redis.call('HSET', root .. 'l:' .. name, num(tick), num(tick))
    for _, old in ipairs(redis.call('ZRANGE', root .. 'f:' .. name, 0, -${KEPT_SPANS + 1})) do
      redis.call('ZREM', root .. 'f:' .. name, old)
      redis.call('HDEL', root .. 'l:' .. name, old)
    end
  end
  local function forget(name)
    local excess = redis.call('ZCARD', root .. 'o:' .. name) - ${KEPT_RUNS}
    if excess <= 0 then return end
    local ids = redis.call('ZRANGE', root .. 'o:' .. name, 0, excess - 1)
    local fired = tonumber(redis.call('HGET', root .. 'r:' .. ids[excess], 'fired'))
    for _, id in ipairs(ids) do
      local run = redis.call('HMGET', root .. 'r:' .. id, 'status', 'tick', 'manual', 'missed')
      -- Somebody lets it be skipped: it was written before its tick came, and counts from then on.
      local skipped = run[3] == '1' and run[1] == 'skipped'
      if run[1] ~= 'running' and not (skipped and tonumber(run[2]) > fired) then
        redis.call('DEL', root .. 'r:' .. id)
        redis.call('ZREM', root .. 'o:' .. name, id)
        redis.call('ZREM', root .. 't:' .. name, id)
        if skipped or run[3] ~= '1' then remember(name, tonumber(run[2]), skipped or run[4] == '1') end
      end
    end
  end
  local function refusal_of(name, run, alone)
    local tick = tonumber(run.tick)
    if redis.call('ZCOUNT', root .. 't:' .. name, run.tick, run.tick) > 0 or redis.call('EXISTS', root .. 'r:' .. run.id) == 1 then return 'taken' end
    if run.manual ~= '1' then
      local first, last = span_of(name, tick)
      if first and last >= tick then return 'taken' end
      local pause = redis.call('HMGET', root .. 's:' .. name, 'paused', 'until')
      if pause[1] == '1' and tick < (tonumber(pause[2] or '') or math.huge) then return 'paused' end
    end
    if alone and run.status == 'running' and redis.call('EXISTS', root .. 'u:' .. name) == 1 then return 'overlaps' end
  end
  local function note_tick(name, tick)
    local last = redis.call('HGET', root .. 's:' .. name, 'last')
    redis.call('HSETNX', root .. 's:' .. name, 'since', tick)
    if not last or tonumber(last) < tonumber(tick) then redis.call('HSET', root .. 's:' .. name, 'last', tick) end
  end
`;

/** Holder, hand, lease, whether runs must not overlap, then the fields of runs. Gives what became of each; fails for a holder that is gone: what it holds is free, and would be run twice. */
export const CLAIM = new Script('cron.claim', `${COMMON}${CLAIMING}
  local gone = error_of_gone(ARGV[1])
  if gone then return gone end
  local outcomes, fields = {}, { ${NAMES} }
  for i = 5, #ARGV, #fields do
    local run, pairs_of = {}, {}
    for index, field in ipairs(fields) do
      run[field] = ARGV[i + index - 1]
      pairs_of[2 * index - 1], pairs_of[2 * index] = field, run[field]
    end
    local name = run.step .. '\\0' .. run.trigger
    local refusal = refusal_of(name, run, ARGV[4] == '1')
    if not refusal then
      redis.call('HSET', root .. 'r:' .. run.id, unpack(pairs_of))
      redis.call('ZADD', root .. 't:' .. name, run.tick, run.id)
      redis.call('ZADD', root .. 'o:' .. name, redis.call('INCR', root .. 'order'), run.id)
      if run.status == 'running' then
        hold(run.id, ARGV[1], ARGV[2], ARGV[3])
        redis.call('ZADD', root .. 'u:' .. name, run.tick, run.id)
        redis.call('SADD', root .. 'running', run.id)
      end
      if run.manual ~= '1' then note_tick(name, run.tick) end
      forget(name)
    end
    outcomes[#outcomes + 1] = refusal or 'claimed'
  end
  return outcomes`);

/** '1' where leases count that are over. Gives the runs that are running and that nobody holds. */
export const ORPHANS = new Script('cron.orphans', `${COMMON}
  local found = {}
  for _, id in ipairs(redis.call('SMEMBERS', root .. 'running')) do
    if is_free(id, ARGV[1]) then found[#found + 1] = run_of(id) end
  end
  return found`, false);

/** Holder, hand, lease, id, attempt, '1' where leases count that are over. Gives the run, where it is that of this attempt and nobody holds it; fails as `CLAIM`. */
export const TAKE = new Script('cron.take', `${COMMON}
  local gone = error_of_gone(ARGV[1])
  if gone then return gone end
  local id = ARGV[4]
  local known = redis.call('HMGET', root .. 'r:' .. id, 'status', 'attempt')
  if known[1] ~= 'running' or known[2] ~= ARGV[5] or not is_free(id, ARGV[6]) then return false end
  redis.call('HINCRBY', root .. 'r:' .. id, 'attempt', 1)
  hold(id, ARGV[1], ARGV[2], ARGV[3])
  return run_of(id)`);

/** Holder, hand, lease, then ids. Gives those that it holds. */
export const RENEW = new Script('cron.renew', `${COMMON}
  local held = {}
  for i = 4, #ARGV do
    if is_held(ARGV[i], ARGV[1], ARGV[2]) then
      hold(ARGV[i], ARGV[1], ARGV[2], ARGV[3])
      held[#held + 1] = ARGV[i]
    end
  end
  return held`);

/** Holder, hand, then of each run: id, status, attempt, when it fired, duration, error. */
export const FINISH = new Script('cron.finish', `${COMMON}
  for i = 3, #ARGV, 6 do
    local id = ARGV[i]
    if is_held(id, ARGV[1], ARGV[2]) then
      redis.call('HSET', root .. 'r:' .. id, 'status', ARGV[i + 1], 'attempt', ARGV[i + 2], 'fired', ARGV[i + 3], 'duration', ARGV[i + 4], 'error', ARGV[i + 5])
      let_go(id)
      if ARGV[i + 1] ~= 'running' then
        local run = redis.call('HMGET', root .. 'r:' .. id, 'step', 'trigger')
        redis.call('ZREM', root .. 'u:' .. run[1] .. '\\0' .. run[2], id)
        redis.call('SREM', root .. 'running', id)
      end
    end
  end`);

/** 'u' or 't', name of a trigger, how many, and '1' for the newest first. Gives runs by their tick. */
export const RUNS = new Script('cron.runs', `${COMMON}
  local found = {}
  local order = ARGV[4] == '1' and 'ZREVRANGE' or 'ZRANGE'
  for index, id in ipairs(redis.call(order, root .. ARGV[1] .. ':' .. ARGV[2], 0, ARGV[3] - 1)) do found[index] = run_of(id) end
  return found`, false);

/** Holder, hand: what it holds is an orphan from now on. */
export const LEAVE = new Script('cron.leave', `${COMMON}
  for _, id in ipairs(redis.call('SMEMBERS', root .. 'running')) do
    if is_held(id, ARGV[1], ARGV[2]) then let_go(id) end
  end`);

export const CRON_SCRIPTS: readonly Script[] = [SCHEDULES, PAUSE, CLAIM, ORPHANS, TAKE, RENEW, FINISH, RUNS, LEAVE];
