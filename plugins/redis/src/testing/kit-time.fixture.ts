import { STORE_TIME } from '../store/store-time.js';

// A store has the time of its key `kit_time` where there is one, else that of the machine: in all tests of a process, for each script is made once.
STORE_TIME.lua = `local kit = redis.call('GET', base .. 'kit_time') if kit then return tonumber(kit) end ${STORE_TIME.lua}`;
