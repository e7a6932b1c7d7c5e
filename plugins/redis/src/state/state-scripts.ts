import { MOST_BYTES } from '../store/pages.js';
import { Script } from '../store/script.js';

/**
 * `v:GROUP`: hash of keys, `REVISION\nJSON` each. `i:GROUP`: the same keys in the order of their bytes. `d:GROUP`: when those that expire do.
 * `r:GROUP`: revisions of keys that were deleted or have expired, which go on counting; `forget` says until when, and `floors` has the highest
 * revision of all that a group has forgotten. `groups`: those with a key; `due`: when the first key of a group expires. `changes`: for triggers.
 */
export const COMMON = `
  local root = base .. 's:'
  local function revision_of(raw) return tonumber(string.match(raw, '^%d+')) end
  local function live_of(group, key)
    local raw = redis.call('HGET', root .. 'v:' .. group, key)
    local due = raw and redis.call('ZSCORE', root .. 'd:' .. group, key)
    return raw and not (due and tonumber(due) <= now()) and raw, raw
  end
  local function old_revision(group, key)
    return tonumber(redis.call('HGET', root .. 'r:' .. group, key) or redis.call('HGET', root .. 'floors', group) or 0)
  end
  local function place_of(group, key) return group .. '\\0' .. key end
  local function take_away(group, key, revision, forget_at)
    redis.call('HDEL', root .. 'v:' .. group, key)
    redis.call('ZREM', root .. 'i:' .. group, key)
    redis.call('ZREM', root .. 'd:' .. group, key)
    redis.call('HSET', root .. 'r:' .. group, key, num(revision))
    redis.call('ZADD', root .. 'forget', num(forget_at), place_of(group, key))
  end
  local function note_group(group)
    if redis.call('EXISTS', root .. 'i:' .. group) == 0 then
      redis.call('ZREM', root .. 'groups', group)
      redis.call('ZREM', root .. 'due', group)
      return
    end
    redis.call('ZADD', root .. 'groups', 0, group)
    local first = redis.call('ZRANGE', root .. 'd:' .. group, 0, 0, 'WITHSCORES')[2]
    if first then redis.call('ZADD', root .. 'due', first, group) else redis.call('ZREM', root .. 'due', group) end
  end
`;

/** Groups and keys in turn. Gives of each its raw value, or the revision that it had when it is missing; of the first ones, where they are large. */
export const READ = new Script('state.read', `${COMMON}
  local found, bytes = {}, 0
  for i = 1, #ARGV, 2 do
    local raw, any = live_of(ARGV[i], ARGV[i + 1])
    found[#found + 1] = raw or (any and revision_of(any) or old_revision(ARGV[i], ARGV[i + 1]))
    bytes = bytes + (raw and #raw or 0)
    if bytes > ${MOST_BYTES} then break end
  end
  return found`, false);

const WRITING = `
  local groups = {}
  local function write_entry(group, key, was, made)
    groups[group] = true
    if made.value == '' then
      take_away(group, key, was.revision + 1, now() + made.remember)
    else
      if not was.raw and redis.call('HDEL', root .. 'r:' .. group, key) == 1 then redis.call('ZREM', root .. 'forget', place_of(group, key)) end
      redis.call('HSET', root .. 'v:' .. group, key, num(was.revision + 1) .. '\\n' .. made.value)
      if not was.raw then redis.call('ZADD', root .. 'i:' .. group, 0, key) end
      if not (made.keeps and was.old) then
        if made.due ~= '' then redis.call('ZADD', root .. 'd:' .. group, made.due, key)
        elseif was.raw then redis.call('ZREM', root .. 'd:' .. group, key) end
      end
    end
    if made.change ~= 'n' then
      redis.call('XADD', root .. 'changes', '*', 'group', group, 'key', key, 'old', was.old or '', 'new', made.value,
        'revision', num(was.revision + 1), 'origin', made.change)
    end
  end
  local function note_groups() for group in pairs(groups) do note_group(group) end end
`;

/** In a script with others: `state.revision` of a live key or 0, `state.write` of a key, and `state.finish` in the end. */
export const STATE_PART = `
  local state = (function()
    ${COMMON}${WRITING}
    return {
      revision = function(group, key)
        local old = live_of(group, key)
        return old and revision_of(old) or 0
      end,
      write = function(group, key, made)
        local old, raw = live_of(group, key)
        if made.value ~= '' or old then write_entry(group, key, { old = old, raw = raw, revision = raw and revision_of(raw) or old_revision(group, key) }, made) end
      end,
      finish = note_groups,
    }
  end)()
`;

/** Values of a row of `WRITE`. */
export const WRITE_COLUMNS = 9;

/**
 * How long a deleted key is remembered, then rows of: group, key, the row before of the same key or 0, the revision that it goes by or '', whether there
 * has to be a value, the new value or '', when that expires or '', whether a live value's time stays, and 'n' (no change), 'c' (change) or 'o' with the origin of a change.
 * A row that goes by what the row before made is not written when that was not, whatever the revision is. Gives of each row whether it holds, and the
 * raw value that was there, or the revision of a missing one; false for a value that the row named. Of the first rows, where values are large.
 */
export const WRITE = new Script('state.write', `${COMMON}${WRITING}
  local oks, answers, bytes = {}, {}, 0
  for i = 2, #ARGV, ${WRITE_COLUMNS} do
    local group, key, after, expected, value = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3], ARGV[i + 5]
    local old, raw = live_of(group, key)
    local revision = raw and revision_of(raw) or old_revision(group, key)
    local ok = (after == 0 or oks[after]) and (expected == '' or (tonumber(expected) == revision and (ARGV[i + 4] == '1') == (old ~= false)))
    if ok and (value ~= '' or old) then
      write_entry(group, key, { old = old, raw = raw, revision = revision },
        { value = value, due = ARGV[i + 6], keeps = ARGV[i + 7] == '1', change = ARGV[i + 8], remember = tonumber(ARGV[1]) })
    end
    oks[#oks + 1] = ok
    answers[#answers + 1] = ok and 1 or 0
    if old and expected ~= '' then answers[#answers + 1] = false else answers[#answers + 1] = old or revision end
    bytes = bytes + (old and #old or 0) + #value
    if bytes > ${MOST_BYTES} then break end
  end
  note_groups()
  return answers`);

/** Group, range, and how many. Gives whether there may be more behind the last key that was looked at, that key, then live keys and their raw values in turn. */
export const LIST = new Script('state.list', `${COMMON}
  local keys = redis.call('ZRANGE', root .. 'i:' .. ARGV[1], ARGV[2], ARGV[3], 'BYLEX', 'LIMIT', 0, ARGV[4])
  local found, bytes = { #keys == tonumber(ARGV[4]) and 1 or 0, keys[#keys] or '' }, 0
  for _, key in ipairs(keys) do
    local raw = live_of(ARGV[1], key)
    if raw then
      found[#found + 1] = key
      found[#found + 1] = raw
      bytes = bytes + #raw
    end
    if bytes > ${MOST_BYTES} then
      found[1], found[2] = 1, key
      break
    end
  end
  return found`, false);

/** Group, range, and how many keys, live or not. */
export const KEYS = new Script('state.keys', "return redis.call('ZRANGE', base .. 's:i:' .. ARGV[1], ARGV[2], ARGV[3], 'BYLEX', 'LIMIT', 0, ARGV[4])", false);

/** Range, and how many. Gives whether there may be more behind the last group that was looked at, that group, then groups that hold a live key. */
export const GROUPS = new Script('state.groups', `${COMMON}
  local groups = redis.call('ZRANGE', root .. 'groups', ARGV[1], ARGV[2], 'BYLEX', 'LIMIT', 0, ARGV[3])
  local found = { #groups == tonumber(ARGV[3]) and 1 or 0, groups[#groups] or '' }
  for _, group in ipairs(groups) do
    if redis.call('ZCARD', root .. 'i:' .. group) > redis.call('ZCOUNT', root .. 'd:' .. group, '-inf', num(now())) then found[#found + 1] = group end
  end
  return found`, false);

/** How long a key is remembered, and how many rows. Takes away what has expired, and forgets what was remembered long enough; gives how many rows it was. */
export const SWEEP = new Script('state.sweep', `${COMMON}
  local left = tonumber(ARGV[2])
  for _, group in ipairs(redis.call('ZRANGE', root .. 'due', '-inf', num(now()), 'BYSCORE', 'LIMIT', 0, left)) do
    for _, key in ipairs(redis.call('ZRANGE', root .. 'd:' .. group, '-inf', num(now()), 'BYSCORE', 'LIMIT', 0, left)) do
      take_away(group, key, revision_of(redis.call('HGET', root .. 'v:' .. group, key)), now() + tonumber(ARGV[1]))
      left = left - 1
    end
    note_group(group)
    if left == 0 then break end
  end
  for _, place in ipairs(redis.call('ZRANGE', root .. 'forget', '-inf', num(now()), 'BYSCORE', 'LIMIT', 0, left)) do
    local split = string.find(place, '\\0', 1, true)
    local group, key = string.sub(place, 1, split - 1), string.sub(place, split + 1)
    local revision = old_revision(group, key)
    redis.call('HSET', root .. 'floors', group, num(math.max(revision, tonumber(redis.call('HGET', root .. 'floors', group) or 0))))
    redis.call('HDEL', root .. 'r:' .. group, key)
    redis.call('ZREM', root .. 'forget', place)
    left = left - 1
  end
  return tonumber(ARGV[2]) - left`, false);


export const STATE_SCRIPTS: readonly Script[] = [READ, WRITE, LIST, KEYS, GROUPS, SWEEP];
