/** What the engine puts where a payload would stand that this session does not see. */
export const WITHHELD = '[withheld: your access shows no payloads]';
