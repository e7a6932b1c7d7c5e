import { Script } from '../store/script.js';

/**
 * `copying`: the token of the copy that has the store, for as long as it says so; engines do not join meanwhile. `copies`: `<slot> <side>` -> how far a copy is, behind
 * '1' where it is complete, else '0'. `id` tells what is under the prefix from what was there before.
 */
export const TAKE = new Script('copy.take', `
  local id = redis.call('GET', base .. 'id')
  if not id then
    id = ARGV[1]
    redis.call('SET', base .. 'id', id)
  end
  local reply, members = { 0, id }, redis.call('HKEYS', base .. 'members')
  for _, member in ipairs(members) do reply[#reply + 1] = member end
  if #members == 0 and redis.call('SET', base .. 'copying', ARGV[1], 'NX', 'PX', ARGV[2]) then reply[1] = 1 end
  return reply`);

/** Token, milliseconds. */
export const HOLD = new Script('copy.hold', "if redis.call('GET', base .. 'copying') == ARGV[1] then redis.call('PEXPIRE', base .. 'copying', ARGV[2]) end", false);
export const RELEASE = new Script('copy.release', "if redis.call('GET', base .. 'copying') == ARGV[1] then redis.call('DEL', base .. 'copying') end", false);

/** What a script of a copy begins with: ARGV is token, slot, side, complete, text of the mark, and what comes behind. */
const BEGIN = `
  if redis.call('GET', base .. 'copying') ~= ARGV[1] then return 0 end
  redis.call('HSET', base .. 'copies', ARGV[2] .. ' ' .. ARGV[3], ARGV[4] .. ARGV[5])
`;

/** Where the arguments of a script of a copy begin. */
export const FIRST = 6;

/** A script of a copy; gives 0 when the copy does not have the store any more. */
export function copyScript(name: string, body: string): Script {
  return new Script(`copy.${name}`, `${BEGIN}${body}\n  return 1`);
}

export const MARK = copyScript('mark', '');

/** What a script that lets an engine in begins with: gives why it cannot be. */
export const ENTER = `
  if redis.call('EXISTS', base .. 'copying') == 1 then return 'copying' end
  local copies = redis.call('HGETALL', base .. 'copies')
  for at = 1, #copies, 2 do
    if string.sub(copies[at], -3) == ' to' and string.sub(copies[at + 1], 1, 1) == '0' then return 'half' end
  end
  for at = 1, #copies, 2 do
    if string.sub(copies[at], -5) == ' from' then redis.call('HDEL', base .. 'copies', copies[at]) end
  end
`;
