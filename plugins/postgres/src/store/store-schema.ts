import { IS_BEHIND } from '../queue/queue-schema.js';

/**
 * What all parts of a store share. `store_time`: the one time that leases, delays and ages of all engines go by, in
 * milliseconds since the epoch. `members`: engines that count as alive; a number is given once, so it fences what an engine
 * does that was declared dead. `leaders`: which engine does what only one should do.
 */
export const STORE_TABLES = `
  CREATE FUNCTION store_time() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
  CREATE FUNCTION store_key() RETURNS integer LANGUAGE sql STABLE AS $$ SELECT hashtext('treadle.' || current_schema()) $$;
  CREATE FUNCTION member_key(p_member bigint) RETURNS bigint LANGUAGE sql STABLE
    AS $$ SELECT (store_key()::bigint << 32) | (p_member & 4294967295) $$;
  CREATE TABLE members (
    member bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, engine text NOT NULL, beat bigint NOT NULL DEFAULT 0, seen_at bigint NOT NULL)
    WITH (fillfactor = 50);
  CREATE TABLE leaders (task text PRIMARY KEY, member bigint NOT NULL, until bigint NOT NULL) WITH (fillfactor = 50);
  CREATE FUNCTION member_beat(p_member bigint) RETURNS TABLE (now bigint, member bigint, beat bigint, seen_at bigint) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE members m SET beat = m.beat + 1, seen_at = store_time() WHERE m.member = p_member;
    RETURN QUERY SELECT store_time(), m.member, m.beat, m.seen_at FROM members m;
  END $$;
  CREATE FUNCTION member_lead(p_task text, p_member bigint, p_lease bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE v_now bigint := store_time();
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO leaders AS l VALUES (p_task, p_member, v_now + p_lease) ON CONFLICT (task) DO UPDATE SET member = p_member, until = v_now + p_lease
      WHERE l.member = p_member OR l.until <= v_now OR NOT EXISTS (SELECT 1 FROM members m WHERE m.member = l.member);
    RETURN FOUND;
  END $$;`;

/** Ends a membership: what it holds is free at once. `p_absent`: only when the engine's own session is gone as well. */
export const MEMBER_END = `
  CREATE FUNCTION member_end(p_member bigint, p_absent boolean) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF p_absent AND NOT pg_try_advisory_xact_lock(member_key(p_member)) THEN RETURN false; END IF;
    PERFORM pg_advisory_xact_lock(store_key() # 1, p_member::integer);
    DELETE FROM members WHERE member = p_member;
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM leaders WHERE member = p_member;
    UPDATE queue_votes SET ended_at = store_time() WHERE member = p_member AND ended_at IS NULL;
    UPDATE queue_deliveries d SET state = CASE WHEN ${IS_BEHIND} THEN 2 ELSE 0 END, member = NULL, lease_until = NULL
      WHERE d.state = 3 AND d.member = p_member;
    UPDATE cron_runs SET holder = NULL, hand = NULL, lease_until = NULL WHERE holder = p_member;
    RETURN true;
  END $$;`;

/**
 * `beats`: when anybody was heard of last, and since when there are beats again after none came for long. `p_outage`: so many milliseconds without a beat
 * of anybody are an outage; null: this engine was there all along, so there was none, or was not there before.
 */
export const STORE_BEATS = `
  CREATE TABLE IF NOT EXISTS beats (one boolean PRIMARY KEY DEFAULT true CHECK (one), seen_at bigint NOT NULL, back_at bigint NOT NULL) WITH (fillfactor = 50);
  INSERT INTO beats (seen_at, back_at) SELECT coalesce(max(seen_at), store_time()), 0 FROM members ON CONFLICT DO NOTHING;
  CREATE OR REPLACE FUNCTION member_beat(p_member bigint, p_outage bigint) RETURNS TABLE (now bigint, back_at bigint, member bigint, beat bigint, seen_at bigint)
    LANGUAGE plpgsql AS $$
  DECLARE v_now bigint := store_time(); v_seen bigint; v_back bigint;
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT b.seen_at, b.back_at INTO v_seen, v_back FROM beats b FOR UPDATE;
    SELECT greatest(v_seen, max(m.seen_at)) INTO v_seen FROM members m WHERE m.member <> p_member;
    IF v_now - v_seen >= p_outage THEN v_back := v_now; END IF;
    UPDATE beats b SET seen_at = v_now, back_at = v_back;
    UPDATE members m SET beat = m.beat + 1, seen_at = v_now WHERE m.member = p_member;
    RETURN QUERY SELECT v_now, v_back, m.member, m.beat, m.seen_at FROM members m;
  END $$;`;
