import { STATE_PART } from '../state/state-scripts.js';
import { STREAM_PART } from '../stream/stream-scripts.js';
import { queueScript } from './queue-library.js';
import { ENQUEUEING, HOLDS, SETTLING } from './work-library.js';

/** Values of a write of `COMMIT`. */
const WRITE_COLUMNS = 10;

/**
 * ARGV: version, run of the server, how long a deleted key is remembered; then of each commit: its settlement as `SETTLE` has it, writes, of each write: 's' or 't',
 * group and key in state or stream, group and item, the revision that is expected or '', 'keep', 'set' or 'delete', the value or '', when it expires or '', 1 when a
 * live value's time stays, the change as `WRITE` of its slot has it; then its batch as `ENQUEUE` has it. Gives false for another version; else the epoch of streams or '',
 * how many subscriptions went, then of each commit: 'void', 'conflict' and the write, 'full' and the subscription, or 'ok', the ids where they are not all its own or 0,
 * and of each item that was written the write, seq, time, kind and value. Nothing is written of one before all of it was looked at; the first write is
 * one that a full memory refuses.
 */
export const COMMIT = queueScript('commit', `
  if (redis.call('GET', q .. 'version') or '0') ~= ARGV[1] then return false end
  ${HOLDS}
  ${SETTLING}
  ${ENQUEUEING}
  ${STATE_PART}
  ${STREAM_PART}
  local epoch = ''
  local function place(i)
    if ARGV[i] == 's' then return state, ARGV[i + 1], ARGV[i + 2] end
    return streams, ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  end
  local function conflict(from, count)
    for n = 0, count - 1 do
      local i = from + n * ${WRITE_COLUMNS}
      local slot, a, b, c = place(i)
      if ARGV[i + 4] ~= '' and slot.revision(a, b, c) ~= tonumber(ARGV[i + 4]) then return n end
    end
  end
  local function write(from, count, reply)
    for n = 0, count - 1 do
      local i = from + n * ${WRITE_COLUMNS}
      local slot, a, b, c = place(i)
      local action, value, change = ARGV[i + 5], ARGV[i + 6], ARGV[i + 9]
      if action ~= 'keep' and slot == state then
        state.write(a, b, { value = value, due = ARGV[i + 7], keeps = ARGV[i + 8] == '1', change = change, remember = tonumber(ARGV[3]) })
      elseif action ~= 'keep' then
        epoch = streams.epoch(ARGV[2])
        local event = streams.write(a, b, c, { action = action, value = value, origin = change })
        if event then for _, part in ipairs({ num(n), unpack(event) }) do reply[#reply + 1] = part end end
      end
    end
  end
  local replies, gone, at = {}, 0, 4
  while at <= #ARGV do
    local settlement = at
    local writes = afterSettlement(at) + 1
    local count = tonumber(ARGV[writes - 1])
    local batch
    batch, at = batchOf(writes + count * ${WRITE_COLUMNS})
    local reply
    if not holds(ARGV[settlement + 1], ARGV[settlement + 2], ARGV[settlement + 3]) then reply = { 'void' }
    else
      local other = conflict(writes, count)
      if other then reply = { 'conflict', other }
      elseif batch.full then reply = { 'full', batch.full }
      else
        reply = { 'ok', batch.repeats and batch.ids or 0 }
        write(writes, count, reply)
        if #batch.rows > 0 then writeBatch(batch) end
        flush()
        settle(settlement)
        gone = gone + endAll()
      end
    end
    flush()
    replies[#replies + 1] = reply
  end
  state.finish()
  streams.finish()
  return { epoch, gone, unpack(replies) }`);
