/** `state_floors`: no deleted or expired entry of the group had a higher revision. `expires_at` is by the store's time. */
export const STATE_TABLES = `
  CREATE TABLE state_entries (
    grp text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, revision bigint NOT NULL, expires_at bigint, value text NOT NULL, PRIMARY KEY (grp, key));
  CREATE INDEX state_expiring ON state_entries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE state_floors (grp text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL);
  CREATE TABLE state_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, grp text NOT NULL, key text NOT NULL, old_value text, new_value text, revision bigint NOT NULL, origin text);`;
