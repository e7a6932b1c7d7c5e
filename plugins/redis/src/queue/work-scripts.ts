import { queueScript } from './queue-library.js';
import { ENQUEUEING, HOLDS, SETTLING } from './work-library.js';

/** Bytes of messages after which a claim ends early. */
const CLAIM_BYTES = 4_000_000;

/**
 * ARGV: version, then of each batch: messages, most waiting; of each message: id, scope and key against repeats or '', moment of enqueueing, deliveries, message;
 * of each delivery: subscription, due or ''. Gives false for another version; else of each batch: 1, the ids of its messages where they are not all its own, or
 * the subscription that is full, as text.
 */
export const ENQUEUE = queueScript('enqueue', `
  if (redis.call('GET', q .. 'version') or '0') ~= ARGV[1] then return false end
  ${ENQUEUEING}
  local outcomes, at = {}, 2
  while at <= #ARGV do
    local batch
    batch, at = batchOf(at)
    if not batch.full then writeBatch(batch) end
    outcomes[#outcomes + 1] = batch.full or (batch.repeats and batch.ids) or 1
  end
  flush()
  return outcomes`);

/**
 * ARGV: member, seq, lease; then of each request: subscription, most, total or ''. Gives false when the member counts as gone, or has given this claim up; else of each request that may be
 * claimed: subscription, 1 when more could be had soon, when the next one is due or '', then of each delivery: id, message, progress.
 */
export const CLAIM = queueScript('claim', `
  if not alive(ARGV[1]) or tonumber(ARGV[2]) <= tonumber(redis.call('HGET', q .. 'given-up', ARGV[1]) or 0) then return false end
  local mark, till = ARGV[1] .. '.' .. ARGV[2], num(now() + tonumber(ARGV[3]))
  local function rivalsOf(sub)
    local votes, living = redis.call('SMEMBERS', part(sub, 'votes')), 0
    if #votes < 2 then return 1 end
    for _, member in ipairs(votes) do if alive(member) then living = living + 1 end end
    return math.max(1, living)
  end
  local function take(sub, most, reply)
    local taken, bytes = 0, 0
    local tried = redis.call('EXISTS', part(sub, 'p')) == 1
    while taken < most and bytes < ${CLAIM_BYTES} do
      local popped = redis.call('ZPOPMIN', part(sub, 'ready'), math.min(16, most - taken))
      if #popped == 0 then break end
      local ids, held, marks = {}, {}, {}
      for at = 1, #popped, 2 do
        local id = popped[at]
        ids[#ids + 1] = id
        held[at] = till held[at + 1] = id
        marks[at] = id marks[at + 1] = mark
      end
      redis.call('ZADD', part(sub, 'held'), unpack(held))
      redis.call('HSET', part(sub, 'e'), unpack(marks))
      local messages = redis.call('HMGET', part(sub, 'm'), unpack(ids))
      local progress = tried and redis.call('HMGET', part(sub, 'p'), unpack(ids)) or {}
      for n, id in ipairs(ids) do
        reply[#reply + 1] = id
        reply[#reply + 1] = messages[n]
        reply[#reply + 1] = progress[n] or ''
        bytes = bytes + #messages[n]
      end
      taken = taken + #ids
    end
    return taken
  end
  local replies = {}
  for at = 4, #ARGV, 3 do
    local sub, most, total = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local flags = redis.call('HGET', q .. 'flags', sub)
    if flags and not has(flags, 'p') and not has(flags, 'r') then
      free(sub, has(flags, 'f'))
      local wished = most
      if total then wished = math.min(most, total - redis.call('ZCARD', part(sub, 'held'))) end
      local rivals, share, reply = rivalsOf(sub), wished, { sub, 0, '' }
      if rivals > 1 and wished > 0 then
        share = math.min(wished, math.ceil(math.min(redis.call('ZCARD', part(sub, 'ready')), wished * rivals) / rivals))
      end
      local taken = take(sub, share, reply)
      if taken < wished and redis.call('ZCARD', part(sub, 'ready')) > 0 then reply[2] = 1 end
      reply[3] = nextOf(sub)
      replies[#replies + 1] = reply
    end
  end
  return replies`, false);

/**
 * ARGV: first all claims of one mark that are done together: 'done', subscription, mark, how many, ids; none of them comes twice. Then of each other settlement: action,
 * subscription, id, mark, progress, due or moment of death or '', reason or ''. Gives of each claim 1 or 0, and in the end how many subscriptions went.
 */
export const SETTLE = queueScript('settle', `
  ${HOLDS}
  ${SETTLING}
  local results, at = {}, 1
  while at <= #ARGV do
    if ARGV[at] == 'done' then at = done(at, results)
    else
      local held = holds(ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
      results[#results + 1] = held and 1 or 0
      if held then settle(at) end
      at = afterSettlement(at)
    end
  end
  results[#results + 1] = endAll()
  return results`);

/** How long it is known what was adopted; milliseconds. */
const ADOPTED_MS = 24 * 60 * 60 * 1000;

/**
 * ARGV of each delivery that another store held: key of the subscription, id of the message, message, progress, due or '', reason or '' and moment of death or ''. Gives of
 * each 1, or 0 for one that was adopted before.
 */
export const ADOPT = queueScript('adopt', `
  local results, till = {}, num(now() + ${ADOPTED_MS})
  redis.call('ZREMRANGEBYSCORE', q .. 'adopted', '-inf', num(now()))
  for at = 1, #ARGV, 7 do
    local key, message, progress, due, reason, died = ARGV[at], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]
    local fresh = redis.call('ZADD', q .. 'adopted', 'NX', till, ARGV[at + 1] .. ' ' .. key)
    results[#results + 1] = fresh
    local sub = redis.call('HGET', q .. 'ids', key)
    if fresh == 1 and reason == '' and sub and not has(flagsOf(sub), 'r') then insert(sub, message, progress, due)
    elseif fresh == 1 then
      local index = (reason == '' and 'subscription_retired' or reason) .. ' ' .. key
      put_letter(redis.call('INCR', q .. 'letters'), index, { at = died == '' and num(now()) or died, message = message, progress = progress })
    end
  end
  return results`);

/** ARGV: lease; then of each claim: subscription, id, mark. Gives of each 1 or 0. */
export const RENEW = queueScript('renew', `
  ${HOLDS}
  local till, results = num(now() + tonumber(ARGV[1])), {}
  for at = 2, #ARGV, 3 do
    local held = holds(ARGV[at], ARGV[at + 1], ARGV[at + 2])
    if held then redis.call('ZADD', part(ARGV[at], 'held'), till, ARGV[at + 1]) end
    results[#results + 1] = held and 1 or 0
  end
  return results`, false);

/** ARGV: subscriptions. Gives of each 1 when something can be claimed, and when the next one is due or ''. */
export const LOOK = queueScript('look', `
  local found = {}
  for _, sub in ipairs(ARGV) do
    local due, lease = nextOf(sub), redis.call('ZRANGE', part(sub, 'held'), 0, 0, 'WITHSCORES')[2]
    local past = (due ~= '' and tonumber(due) <= now()) or (lease and tonumber(lease) <= now())
    found[#found + 1] = (past or redis.call('ZCARD', part(sub, 'ready')) > 0) and 1 or 0
    found[#found + 1] = due
  end
  return found`, false);

/**
 * ARGV: subscription, `<member>.` or `<member>.<seq>.`. Frees what a member that is gone held, or one of its claims; gives how many. Such a claim, and each before it,
 * claims nothing any more: it may come late, from a connection that the member has left.
 */
export const VOID = queueScript('void', `
  local sub, holder = ARGV[1], ARGV[2]
  local member, seq = string.match(holder, '^(%d+)%.(%d+)%.$')
  if seq and tonumber(seq) > tonumber(redis.call('HGET', q .. 'given-up', member) or 0) then redis.call('HSET', q .. 'given-up', member, seq) end
  local all, voided = redis.call('HGETALL', part(sub, 'e')), 0
  for at = 1, #all, 2 do
    if string.sub(all[at + 1] .. '.', 1, #holder) == holder then
      redis.call('ZADD', part(sub, 'held'), 0, all[at])
      voided = voided + 1
    end
  end
  if voided > 0 then free(sub, has(flagsOf(sub), 'f')) end
  return voided`, false);
