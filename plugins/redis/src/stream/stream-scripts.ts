import { MOST_BYTES } from '../store/pages.js';
import { Script } from '../store/script.js';

/** Events of a group that are kept, for how long at most, and bytes of them. */
const KEPT_EVENTS = 1_000;
const KEPT_MS = 5 * 60_000;
const KEPT_BYTES = 16_000_000;

/**
 * NAME of a group: stream, NUL, group. `g:NAME`: how far it has come (`seq`, `at`: time of the last event, `order`: of items, `bytes`: of events that are kept;
 * `floor`: no deleted item had a higher revision). `v:NAME`: hash of items, `REVISION\nJSON` each; `o:NAME`: their order. `s:STREAM`: groups that hold an item. `e:NAME`:
 * the last events, also those that are not stored otherwise, by `seq`. `changes`: for triggers. `store`: `floor` of groups that a copy did not bring, epoch, and the run of the server in which it
 * began: with another run a new one begins, as a server that was started again, or that took over, may have lost what came last.
 */
const COMMON = `
  local root = base .. 't:'
  local function epoch_of(run)
    local known = redis.call('HMGET', root .. 'store', 'run', 'epoch')
    if known[1] == run then return known[2] end
    local epoch = num(now()) .. '-' .. string.sub(run, 1, 8)
    redis.call('HSET', root .. 'store', 'run', run, 'epoch', epoch)
    return epoch
  end
  local function floor_of(name) return tonumber(redis.call('HGET', root .. 'g:' .. name, 'floor') or redis.call('HGET', root .. 'store', 'floor') or 0) end
  local function number_of(name, field) return tonumber(redis.call('HGET', root .. 'g:' .. name, field) or 0) end
  local function revision_of(raw) return tonumber(string.match(raw, '^%d+')) end
`;

/** Names of groups and items in turn. Gives of each its raw value, or the revision that one that is missing goes on from; of the first ones, where they are large. */
export const READ = new Script('stream.read', `${COMMON}
  local found, bytes = {}, 0
  for i = 1, #ARGV, 2 do
    local raw = redis.call('HGET', root .. 'v:' .. ARGV[i], ARGV[i + 1])
    found[#found + 1] = raw or floor_of(ARGV[i])
    bytes = bytes + (raw and #raw or 0)
    if bytes > ${MOST_BYTES} then break end
  end
  return found`, false);

const WRITING = `
  local groups = {}
  local function group_of(stream, id)
    local name = stream .. '\\0' .. id
    local group = groups[name]
    if not group then
      local found = redis.call('HMGET', root .. 'g:' .. name, 'seq', 'floor', 'at', 'order', 'bytes')
      group = { stream = stream, id = id, name = name, floor = tonumber(found[2] or redis.call('HGET', root .. 'store', 'floor') or 0), at = tonumber(found[3] or 0), order = tonumber(found[4] or 0) }
      group.seq, group.bytes = tonumber(found[1] or 0), tonumber(found[5] or 0)
      if redis.call('EXISTS', root .. 'e:' .. name) == 0 then group.bytes = 0 end
      groups[name] = group
    end
    return group
  end
  local function tell(group, kind, fields)
    group.seq, group.at, group.bytes, group.told = group.seq + 1, math.max(now(), group.at + 1), group.bytes + #fields.data, true
    redis.call('XADD', root .. 'e:' .. group.name, num(group.seq) .. '-0', 'at', num(group.at), 'kind', kind, 'type', fields.type, 'item', fields.item, 'data', fields.data)
  end
  local function too_much(group, count, event)
    return count > ${KEPT_EVENTS} or group.bytes > ${KEPT_BYTES} or tonumber(event[2][2]) < now() - ${KEPT_MS}
  end
  local function trim(group)
    local name = root .. 'e:' .. group.name
    local count, from = redis.call('XLEN', name), '-'
    while count > 0 do
      local event = redis.call('XRANGE', name, from, '+', 'COUNT', 1)[1]
      if not event or not too_much(group, count, event) then break end
      count, from, group.bytes = count - 1, '(' .. event[1], group.bytes - #event[2][10]
    end
    if from ~= '-' then redis.call('XTRIM', name, 'MINID', num(tonumber(string.match(from, '%d+')) + 1) .. '-0') end
    redis.call('PEXPIRE', name, ${KEPT_MS})
  end
  local function keep(group)
    trim(group)
    redis.call('HSET', root .. 'g:' .. group.name, 'seq', num(group.seq), 'floor', num(group.floor), 'at', num(group.at), 'order', num(group.order),
      'bytes', num(group.bytes))
    if redis.call('EXISTS', root .. 'o:' .. group.name) == 1 then redis.call('ZADD', root .. 's:' .. group.stream, 0, group.id)
    else redis.call('ZREM', root .. 's:' .. group.stream, group.id) end
  end
  local function set(group, item, old, value)
    local revision = (old and revision_of(old) or group.floor) + 1
    redis.call('HSET', root .. 'v:' .. group.name, item, num(revision) .. '\\n' .. value)
    if old then return end
    group.order = group.order + 1
    redis.call('ZADD', root .. 'o:' .. group.name, num(group.order), item)
  end
  local function remove(group, item, old)
    group.floor = math.max(group.floor, revision_of(old) + 1)
    redis.call('HDEL', root .. 'v:' .. group.name, item)
    redis.call('ZREM', root .. 'o:' .. group.name, item)
  end
  local function write_item(group, action, item, values)
    local old = values.old
    if action == 'set' then
      set(group, item, old, values.value)
      return old and 'update' or 'create', values.value
    end
    remove(group, item, old)
    return 'delete', string.sub(old, string.find(old, '\\n', 1, true) + 1)
  end
  local function note_change(group, item, change)
    if change.origin == '' then return end
    redis.call('XADD', root .. 'changes', '*', 'stream', group.stream, 'group', group.id, 'item', item, 'kind', change.kind, 'data', change.value, 'origin', string.sub(change.origin, 2))
  end
  local function keep_all() for _, group in pairs(groups) do if group.told then keep(group) end end end
`;

/**
 * In a script with others: `streams.epoch(run)`, `streams.revision` of an item or 0, `streams.write` of an item, which gives seq, time, kind and value of the event, or
 * nothing, and `streams.finish` in the end.
 */
export const STREAM_PART = `
  local streams = (function()
    ${COMMON}${WRITING}
    local function item_of(group, item) return redis.call('HGET', root .. 'v:' .. group.name, item) end
    return {
      epoch = epoch_of,
      revision = function(stream, id, item)
        local old = item_of(group_of(stream, id), item)
        return old and revision_of(old) or 0
      end,
      write = function(stream, id, item, made)
        local group = group_of(stream, id)
        local old = item_of(group, item)
        if made.action == 'delete' and not old then return nil end
        local kind, value = write_item(group, made.action, item, { old = old, value = made.value })
        tell(group, kind, { type = '', item = 'i' .. item, data = value })
        note_change(group, item, { kind = kind, value = value, origin = made.origin })
        return { num(group.seq), num(group.at), kind, value }
      end,
      finish = keep_all,
    }
  end)()
`;

/** Values of a row of `WRITE`. */
export const WRITE_COLUMNS = 10;

/**
 * Run of the server, then rows of: stream, group, 'set', 'delete' or 'event', the item behind 'i' or '', the row before of the same item or 0, the revision that it goes by,
 * whether there has to be an item, the value, type of the event, and the origin of a change behind 'o' or ''. A row that goes by what the row before made is not written
 * when that was not. Gives the epoch, then of each row whether it holds, and seq and time of the group and what happened. Of the first rows, where values are large.
 */
export const WRITE = new Script('stream.write', `${COMMON}${WRITING}
  local answers, oks, bytes = { epoch_of(ARGV[1]) }, {}, 0
  for i = 2, #ARGV, ${WRITE_COLUMNS} do
    local group, action, item, value = group_of(ARGV[i], ARGV[i + 1]), ARGV[i + 2], string.sub(ARGV[i + 3], 2), ARGV[i + 7]
    local ok, kind, old = true, action, false
    if action ~= 'event' then
      local after = tonumber(ARGV[i + 4])
      old = redis.call('HGET', root .. 'v:' .. group.name, item)
      ok = (after == 0 or oks[after]) and (ARGV[i + 6] == '1') == (old ~= false) and tonumber(ARGV[i + 5]) == (old and revision_of(old) or group.floor)
      if ok then kind, value = write_item(group, action, item, { old = old, value = value }) end
    end
    if ok then
      tell(group, kind, { type = ARGV[i + 8], item = ARGV[i + 3], data = value })
      note_change(group, item, { kind = kind, value = value, origin = ARGV[i + 9] })
    end
    oks[#oks + 1] = ok
    for _, answer in ipairs({ ok and 1 or 0, group.seq, num(group.at), kind }) do answers[#answers + 1] = answer end
    bytes = bytes + #value + (old and #old or 0)
    if bytes > ${MOST_BYTES} then break end
  end
  keep_all()
  return answers`);

/** Run of the server, name, rank of the first item, how many, bytes. Gives epoch, seq, whether there are more items, then items and raw values in turn. */
export const SNAPSHOT = new Script('stream.snapshot', `${COMMON}
  local first, most, bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), 0
  local found = { epoch_of(ARGV[1]), number_of(ARGV[2], 'seq'), 0 }
  local items = redis.call('ZRANGE', root .. 'o:' .. ARGV[2], first, first + most - 1)
  for index, item in ipairs(items) do
    local raw = redis.call('HGET', root .. 'v:' .. ARGV[2], item)
    found[#found + 1] = item
    found[#found + 1] = raw
    bytes = bytes + #raw
    if bytes > tonumber(ARGV[5]) or index == most then
      found[3] = 1
      break
    end
  end
  return found`, false);

/** Run of the server, name, a seq, how many. Gives the epoch, the group's seq and the first events behind the one. */
export const EVENTS = new Script('stream.events', `${COMMON}
  local found, bytes, left, from, portion = { epoch_of(ARGV[1]), number_of(ARGV[2], 'seq') }, 0, tonumber(ARGV[4]), '(' .. ARGV[3] .. '-0', 1
  while left > 0 and bytes <= ${MOST_BYTES} do
    local some = redis.call('XRANGE', root .. 'e:' .. ARGV[2], from, '+', 'COUNT', math.min(left, portion))
    if #some == 0 then break end
    for _, event in ipairs(some) do
      found[#found + 1] = event
      from = '(' .. event[1]
      left = left - 1
      bytes = bytes + #event[2][10]
    end
    portion = math.min(portion * 2, 64)
  end
  return found`, false);

/** Run of the server, then names. Gives the epoch, then the seq of each group. */
export const PLACES = new Script('stream.places', `${COMMON}
  local found = { epoch_of(ARGV[1]) }
  for i = 2, #ARGV do found[i] = number_of(ARGV[i], 'seq') end
  return found`, false);

/** Stream, range, and how many groups. */
export const GROUPS = new Script('stream.groups', "return redis.call('ZRANGE', base .. 't:s:' .. ARGV[1], ARGV[2], ARGV[3], 'BYLEX', 'LIMIT', 0, ARGV[4])", false);

export const STREAM_SCRIPTS: readonly Script[] = [READ, WRITE, SNAPSHOT, EVENTS, PLACES, GROUPS];
