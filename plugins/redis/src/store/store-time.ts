/** The one time that leases, delays and ages of all engines go by; Lua that gives milliseconds since the epoch. Tests put another one here. */
export const STORE_TIME = { lua: "local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000)" };
