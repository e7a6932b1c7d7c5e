import { createHash } from 'node:crypto';
import { STORE_TIME } from './store-time.js';

/**
 * What every script has. `base`: what all keys of the store begin with; it is the last of `KEYS`. `now()`: the store's time in
 * milliseconds; the same for the whole script. `alive(member)`: whether that engine counts as alive. `num`: a number without an exponent.
 */
const PRELUDE = (): string => `
  local base = KEYS[#KEYS]
  local started
  local function now()
    if not started then started = (function() ${STORE_TIME.lua} end)() end
    return started
  end
  local function alive(member) return redis.call('HEXISTS', base .. 'members', member) == 1 end
  local function num(n) return string.format('%.0f', n) end
`;

/** A Lua script that changes or reads a store in one step. */
export class Script {
  private compiled: { readonly lua: string; readonly sha: string } | undefined;

  /** @param acknowledged `wait_replicas` holds for it: what it writes is promised to somebody */
  constructor(readonly name: string, private readonly body: string, readonly acknowledged = true) {}

  get lua(): string {
    return this.program.lua;
  }

  get sha(): string {
    return this.program.sha;
  }

  private get program(): { readonly lua: string; readonly sha: string } {
    if (!this.compiled) {
      const lua = PRELUDE() + this.body;
      this.compiled = { lua, sha: createHash('sha1').update(lua).digest('hex') };
    }
    return this.compiled;
  }
}
