/**
 * A delivery's `state`: 0 can be claimed, 1 is not due, 2 waits behind another one of its lane, 3 is claimed. Each state that
 * somebody looks for has an index of its own, so the number of rows in other states does not matter. `lane`: the group in a fifo
 * subscription (`''` for none), else null; of a lane the one with the lowest id alone is in state 0 or 1. What lies unrouted
 * belongs to the subscription of the Step `''` and its topic. `queue_version` grows with each change of subscriptions. It and
 * the numbers of subscriptions follow the time: what a replica that takes over has not received is nothing else afterwards for an engine that knows it
 * still. `ended_at` of a vote: when its engine was gone. Moments are the store's.
 */
export const QUEUE_TABLES = `
  CREATE TABLE queue_version (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), version bigint NOT NULL) WITH (fillfactor = 50);
  INSERT INTO queue_version (version) VALUES (1);
  CREATE TABLE queue_subscriptions (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, step text COLLATE "C" NOT NULL, topic text COLLATE "C" NOT NULL,
    application text NOT NULL, fifo boolean NOT NULL, delay_ms bigint NOT NULL, paused boolean NOT NULL DEFAULT false, settings text NOT NULL,
    retired boolean NOT NULL DEFAULT false, UNIQUE (step, topic));
  CREATE TABLE queue_votes (number integer NOT NULL, member bigint NOT NULL, ended_at bigint, PRIMARY KEY (number, member));
  CREATE SEQUENCE queue_ids;
  CREATE TABLE queue_deliveries (
    sub integer NOT NULL, id bigint NOT NULL, state smallint NOT NULL, kind smallint NOT NULL, hops integer NOT NULL,
    attempts integer NOT NULL DEFAULT 0, deaths integer NOT NULL DEFAULT 0, due_at bigint, enqueued_at bigint NOT NULL,
    member bigint, seq bigint, lease_until bigint, lane text COLLATE "C", grp text, message text NOT NULL, trace text NOT NULL,
    headers text, history text NOT NULL DEFAULT '', data text NOT NULL, PRIMARY KEY (sub, id))
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
      autovacuum_analyze_scale_factor = 0.5, autovacuum_analyze_threshold = 10000);
  CREATE INDEX queue_ready ON queue_deliveries (sub, id) WHERE state = 0;
  CREATE INDEX queue_later ON queue_deliveries (sub, due_at) WHERE state = 1;
  CREATE INDEX queue_lanes ON queue_deliveries (sub, lane, id) WHERE lane IS NOT NULL;
  CREATE INDEX queue_claimed ON queue_deliveries (sub, lease_until) WHERE state = 3;
  CREATE TABLE queue_dead (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, step text COLLATE "C" NOT NULL, topic text COLLATE "C" NOT NULL, reason text NOT NULL,
    dead_at bigint NOT NULL, message text NOT NULL, data text NOT NULL, trace text NOT NULL, enqueued_at bigint NOT NULL, kind smallint NOT NULL,
    grp text, headers text, attempts integer NOT NULL, deaths integer NOT NULL, history text NOT NULL);
  CREATE INDEX queue_dead_of ON queue_dead (step, topic, id);
  CREATE INDEX queue_dead_at ON queue_dead (dead_at);
  CREATE TABLE queue_used (
    scope text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, message text NOT NULL, until bigint NOT NULL, PRIMARY KEY (scope, key));
  CREATE INDEX queue_used_until ON queue_used (until);`;

/** Gives the version before as well. */
export const NEXT_VERSION = `UPDATE queue_version v SET version = GREATEST(v.version + 1, store_time()) FROM (SELECT version FROM queue_version) b
  RETURNING b.version AS before, v.version AS after`;

/** Numbers go by the seconds since 2026, which fit an integer until 2094. The lock keeps two that are given at once apart. */
export const QUEUE_NUMBERS = `
  CREATE OR REPLACE FUNCTION queue_number() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    v_sequence text := pg_get_serial_sequence('queue_subscriptions', 'number');
    v_least bigint := (store_time() - 1767225600000) / 1000;
  BEGIN
    PERFORM pg_advisory_xact_lock(store_key() # 4, 0);
    NEW.number := nextval(v_sequence);
    IF NEW.number < v_least THEN NEW.number := setval(v_sequence, v_least); END IF;
    RETURN NEW;
  END $$;
  DROP TRIGGER IF EXISTS queue_number ON queue_subscriptions;
  CREATE TRIGGER queue_number BEFORE INSERT ON queue_subscriptions FOR EACH ROW EXECUTE FUNCTION queue_number();`;

/** True while subscriptions are what the caller believes, and for as long as its transaction lasts. */
const CURRENT = `
  CREATE OR REPLACE FUNCTION queue_current(p_version bigint, p_fifo integer[]) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE v_sub integer;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(store_key(), 0);
    IF (SELECT version FROM queue_version WHERE only_row) <> p_version THEN RETURN false; END IF;
    FOREACH v_sub IN ARRAY p_fifo LOOP PERFORM pg_advisory_xact_lock(store_key(), v_sub); END LOOP;
    RETURN true;
  END $$;`;

/** Adds deliveries; arrays have one element for each. `p_fifo`: numbers of the fifo subscriptions among them, ascending. */
const ADD = `
  CREATE OR REPLACE FUNCTION queue_add(p_version bigint, p_now bigint, p_fifo integer[], p_subs integer[], p_messages text[], p_data text[], p_headers text[],
    p_traces text[], p_enqueued bigint[], p_hops integer[], p_kinds integer[], p_due bigint[], p_lanes text[], p_groups text[])
    RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT queue_current(p_version, p_fifo) THEN RETURN false; END IF;
    IF cardinality(p_fifo) = 0 THEN
      INSERT INTO queue_deliveries (sub, id, state, message, data, headers, trace, enqueued_at, hops, kind, due_at, lane, grp)
        SELECT n.sub, nextval('queue_ids'), CASE WHEN n.due > p_now THEN 1 ELSE 0 END,
          n.message, n.data, n.headers, n.trace, n.enqueued, n.hops, n.kind, n.due, n.lane, n.grp
        FROM unnest(p_subs, p_messages, p_data, p_headers, p_traces, p_enqueued, p_hops, p_kinds, p_due, p_lanes, p_groups)
          AS n (sub, message, data, headers, trace, enqueued, hops, kind, due, lane, grp);
      RETURN true;
    END IF;
    INSERT INTO queue_deliveries (sub, id, state, message, data, headers, trace, enqueued_at, hops, kind, due_at, lane, grp)
      SELECT n.sub, nextval('queue_ids'), CASE WHEN n.behind THEN 2 WHEN n.due > p_now THEN 1 ELSE 0 END,
        n.message, n.data, n.headers, n.trace, n.enqueued, n.hops, n.kind, n.due, n.lane, n.grp
      FROM (
        SELECT a.*, a.lane IS NOT NULL AND (row_number() OVER (PARTITION BY a.sub, a.lane ORDER BY a.nr) > 1
          OR EXISTS (SELECT 1 FROM queue_deliveries h WHERE h.sub = a.sub AND h.lane = a.lane)) AS behind
        FROM unnest(p_subs, p_messages, p_data, p_headers, p_traces, p_enqueued, p_hops, p_kinds, p_due, p_lanes, p_groups)
          WITH ORDINALITY AS a (sub, message, data, headers, trace, enqueued, hops, kind, due, lane, grp, nr)
        ORDER BY a.nr) n;
    RETURN true;
  END $$;`;

/**
 * True where delivery `d` has the claim at `i` still. Only a claimed one has a member. One after the other is found by the primary key: of a join of all at once
 * with deliveries the planner, which may take them for few, compares each with each.
 */
const HOLDS = 'd.sub = p_subs[i] AND d.id = p_ids[i] AND d.member = p_members[i] AND d.seq = p_seqs[i] AND d.lease_until > p_now';

/** Deliveries are had in the order of an index: of a table that is taken for empty the planner would sort all that there is. */
const UNSORTED = 'SET enable_sort = off';

/** True for a delivery that waits behind another one of its lane. */
export const IS_BEHIND = `d.lane IS NOT NULL AND EXISTS (SELECT 1 FROM queue_deliveries l WHERE l.sub = d.sub AND l.lane = d.lane AND l.id < d.id)`;

/**
 * Takes deliveries, for each request in turn. One more row for each has no id, but when the next one is due, and whether more could be had.
 * What a claim calls is in PL/pgSQL, which keeps its plans; functions in SQL are planned at each call. Rows that are locked are changed where they lie: by their
 * numbers, the planner may go through all of the subscription.
 */
const CLAIM = `
  CREATE OR REPLACE FUNCTION queue_free(p_sub integer, p_now bigint) RETURNS void LANGUAGE plpgsql ${UNSORTED} AS $$
  BEGIN
    UPDATE queue_deliveries d SET state = CASE WHEN ${IS_BEHIND} THEN 2 ELSE 0 END, member = NULL, lease_until = NULL
      WHERE d.ctid = ANY (ARRAY(
        SELECT ctid FROM queue_deliveries WHERE sub = p_sub AND state = 3 AND lease_until <= p_now FOR UPDATE SKIP LOCKED));
    UPDATE queue_deliveries d SET state = 0
      WHERE d.ctid = ANY (ARRAY(
        SELECT ctid FROM queue_deliveries WHERE sub = p_sub AND state = 1 AND due_at <= p_now FOR UPDATE SKIP LOCKED));
  END $$;
  CREATE OR REPLACE FUNCTION queue_claim(p_member bigint, p_seq bigint, p_now bigint, p_until bigint, p_subs integer[], p_most integer[], p_totals integer[])
    RETURNS TABLE (sub integer, id bigint, kind smallint, hops integer, attempts integer, deaths integer, enqueued_at bigint, grp text, message text,
      trace text, headers text, history text, data text, next_due bigint, more boolean) LANGUAGE plpgsql ${UNSORTED} AS $$
  DECLARE v_sub integer; v_most integer; v_wished integer; v_rivals integer; v_taken integer;
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock_shared(store_key() # 1, p_member::integer);
    IF NOT EXISTS (SELECT 1 FROM members m WHERE m.member = p_member) THEN RETURN; END IF;
    FOR i IN 1 .. cardinality(p_subs) LOOP
      v_sub := p_subs[i];
      CONTINUE WHEN NOT EXISTS (SELECT 1 FROM queue_subscriptions s WHERE s.number = v_sub AND NOT s.paused AND NOT s.retired);
      IF p_totals[i] IS NOT NULL THEN PERFORM pg_advisory_xact_lock(store_key(), -v_sub); END IF;
      PERFORM queue_free(v_sub, p_now);
      v_wished := p_most[i];
      IF p_totals[i] IS NOT NULL THEN
        v_wished := LEAST(v_wished, p_totals[i] - (SELECT count(*) FROM queue_deliveries c WHERE c.sub = v_sub AND c.state = 3));
      END IF;
      v_most := v_wished;
      SELECT count(*) INTO v_rivals FROM queue_votes v WHERE v.number = v_sub AND v.ended_at IS NULL;
      IF v_rivals > 1 AND v_most > 0 THEN
        v_most := LEAST(v_most, (SELECT (count(*) + v_rivals - 1) / v_rivals
          FROM (SELECT 1 FROM queue_deliveries r WHERE r.sub = v_sub AND r.state = 0 LIMIT v_most * v_rivals) w));
      END IF;
      v_taken := 0;
      IF v_most > 0 THEN
        RETURN QUERY UPDATE queue_deliveries d SET state = 3, member = p_member, seq = p_seq, lease_until = p_until
          WHERE d.ctid = ANY (ARRAY(
            SELECT r.ctid FROM queue_deliveries r WHERE r.sub = v_sub AND r.state = 0 ORDER BY r.id LIMIT v_most FOR UPDATE SKIP LOCKED))
          RETURNING d.sub, d.id, d.kind, d.hops, d.attempts, d.deaths, d.enqueued_at, d.grp, d.message, d.trace, d.headers, d.history, d.data,
            NULL::bigint, NULL::boolean;
        GET DIAGNOSTICS v_taken = ROW_COUNT;
      END IF;
      sub := v_sub;
      SELECT min(l.due_at) INTO next_due FROM queue_deliveries l WHERE l.sub = v_sub AND l.state = 1;
      more := v_taken < p_most[i] AND v_most < p_most[i] AND EXISTS (SELECT 1 FROM queue_deliveries r WHERE r.sub = v_sub AND r.state = 0);
      RETURN NEXT;
    END LOOP;
  END $$;`;

/**
 * Ends and renews claims. The first one of each lane that has lost its head moves up. `queue_end` has the ids of all claims of one `queue_claim` in one subscription
 * behind each other, those of the n-th up to the place that the n-th of `p_ends` names, and gives the ids whose claims did not hold; the others give those that did.
 * Each row is looked up by itself: what one scan for all ids passes over, it does not mark as dead before its end. What was renewed meanwhile lies elsewhere, and is
 * found by a second look.
 */
const SETTLE = `
  CREATE OR REPLACE FUNCTION queue_move_up(p_now bigint, p_subs integer[], p_lanes text[]) RETURNS void LANGUAGE plpgsql ${UNSORTED} AS $$
  BEGIN
    UPDATE queue_deliveries d SET state = CASE WHEN d.due_at > p_now THEN 1 ELSE 0 END
      FROM (SELECT DISTINCT g.sub, g.lane FROM unnest(p_subs, p_lanes) AS g (sub, lane)) g
      WHERE d.state = 2 AND d.sub = g.sub AND d.id = (
        SELECT b.id FROM queue_deliveries b WHERE b.sub = g.sub AND b.lane = g.lane AND b.lane IS NOT NULL ORDER BY b.id LIMIT 1);
  END $$;
  CREATE OR REPLACE FUNCTION queue_end(p_version bigint, p_now bigint, p_fifo integer[], p_subs integer[], p_members bigint[], p_seqs bigint[], p_ends integer[],
    p_ids bigint[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE v_from integer := 1; v_ids bigint[]; v_gone bigint[]; v_lanes text[]; v_lost bigint[] := '{}'; v_moved integer[]; v_moved_lanes text[];
    v_id bigint; v_lane text;
  BEGIN
    IF NOT queue_current(p_version, p_fifo) THEN RETURN NULL; END IF;
    FOR i IN 1 .. cardinality(p_subs) LOOP
      v_ids := p_ids[v_from : p_ends[i]];
      v_from := p_ends[i] + 1;
      WITH gone AS (
        DELETE FROM queue_deliveries d
          WHERE d.ctid = ANY (ARRAY(SELECT (SELECT o.ctid FROM queue_deliveries o WHERE o.sub = p_subs[i] AND o.id = k.id) FROM unnest(v_ids) AS k (id)))
            AND d.member = p_members[i] AND d.seq = p_seqs[i] AND d.lease_until > p_now RETURNING d.id, d.lane)
      SELECT array_agg(g.id), array_agg(g.lane) FILTER (WHERE g.lane IS NOT NULL) INTO v_gone, v_lanes FROM gone g;
      IF cardinality(v_gone) IS DISTINCT FROM cardinality(v_ids) THEN
        FOREACH v_id IN ARRAY v_ids LOOP
          CONTINUE WHEN v_id = ANY (v_gone);
          DELETE FROM queue_deliveries d
            WHERE d.sub = p_subs[i] AND d.id = v_id AND d.member = p_members[i] AND d.seq = p_seqs[i] AND d.lease_until > p_now RETURNING d.lane INTO v_lane;
          IF NOT FOUND THEN v_lost := v_lost || v_id;
          ELSIF v_lane IS NOT NULL THEN v_lanes := v_lanes || v_lane; END IF;
        END LOOP;
      END IF;
      IF v_lanes IS NOT NULL THEN
        v_moved := v_moved || array_fill(p_subs[i], ARRAY[cardinality(v_lanes)]);
        v_moved_lanes := v_moved_lanes || v_lanes;
      END IF;
    END LOOP;
    IF v_moved IS NOT NULL THEN PERFORM queue_move_up(p_now, v_moved, v_moved_lanes); END IF;
    RETURN v_lost;
  END $$;
  CREATE OR REPLACE FUNCTION queue_dead_letters(p_version bigint, p_now bigint, p_fifo integer[], p_subs integer[], p_ids bigint[], p_members bigint[], p_seqs bigint[],
    p_attempts integer[], p_deaths integer[], p_history text[], p_reasons text[], p_at bigint[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE v_gone queue_deliveries; v_done bigint[] := '{}'; v_subs integer[]; v_lanes text[];
  BEGIN
    IF NOT queue_current(p_version, p_fifo) THEN RETURN NULL; END IF;
    FOR i IN 1 .. cardinality(p_ids) LOOP
      DELETE FROM queue_deliveries d WHERE ${HOLDS} RETURNING d.* INTO v_gone;
      CONTINUE WHEN NOT FOUND;
      INSERT INTO queue_dead (step, topic, reason, dead_at, message, data, trace, enqueued_at, kind, grp, headers, attempts, deaths, history)
        SELECT s.step, s.topic, p_reasons[i], p_at[i], v_gone.message, v_gone.data, v_gone.trace, v_gone.enqueued_at, v_gone.kind, v_gone.grp, v_gone.headers,
          p_attempts[i], p_deaths[i], p_history[i]
        FROM queue_subscriptions s WHERE s.number = v_gone.sub;
      v_done := v_done || p_ids[i];
      IF v_gone.lane IS NOT NULL THEN v_subs := v_subs || p_subs[i]; v_lanes := v_lanes || v_gone.lane; END IF;
    END LOOP;
    IF v_subs IS NOT NULL THEN PERFORM queue_move_up(p_now, v_subs, v_lanes); END IF;
    RETURN v_done;
  END $$;
  CREATE OR REPLACE FUNCTION queue_give_back(p_version bigint, p_now bigint, p_subs integer[], p_ids bigint[], p_members bigint[], p_seqs bigint[],
    p_attempts integer[], p_deaths integer[], p_history text[], p_due bigint[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE v_done bigint[] := '{}';
  BEGIN
    IF NOT queue_current(p_version, '{}') THEN RETURN NULL; END IF;
    FOR i IN 1 .. cardinality(p_ids) LOOP
      UPDATE queue_deliveries d SET state = CASE WHEN ${IS_BEHIND} THEN 2 WHEN p_due[i] > p_now THEN 1 ELSE 0 END, due_at = p_due[i], member = NULL,
          lease_until = NULL, attempts = p_attempts[i], deaths = p_deaths[i], history = p_history[i]
        WHERE ${HOLDS};
      IF FOUND THEN v_done := v_done || p_ids[i]; END IF;
    END LOOP;
    RETURN v_done;
  END $$;
  CREATE OR REPLACE FUNCTION queue_renew(p_now bigint, p_until bigint, p_subs integer[], p_ids bigint[], p_members bigint[], p_seqs bigint[])
    RETURNS integer[] LANGUAGE plpgsql AS $$
  DECLARE v_renewed integer[] := '{}';
  BEGIN
    FOR i IN 1 .. cardinality(p_ids) LOOP
      UPDATE queue_deliveries d SET lease_until = p_until WHERE ${HOLDS};
      IF FOUND THEN v_renewed := v_renewed || i; END IF;
    END LOOP;
    RETURN v_renewed;
  END $$;`;

/** What waits of a retired subscription becomes dead letters, and the subscription goes with the last delivery. True when it has gone. */
const RETIRE = `
  CREATE OR REPLACE FUNCTION queue_bury(p_sub integer, p_now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (SELECT 1 FROM queue_subscriptions s WHERE s.number = p_sub AND s.retired) THEN RETURN false; END IF;
    PERFORM queue_free(p_sub, p_now);
    WITH gone AS (DELETE FROM queue_deliveries d WHERE d.sub = p_sub AND d.state <> 3 RETURNING d.*)
    INSERT INTO queue_dead (step, topic, reason, dead_at, message, data, trace, enqueued_at, kind, grp, headers, attempts, deaths, history)
      SELECT s.step, s.topic, 'subscription_retired', p_now, g.message, g.data, g.trace, g.enqueued_at, g.kind, g.grp, g.headers,
        g.attempts, g.deaths, g.history
      FROM gone g JOIN queue_subscriptions s ON s.number = g.sub ORDER BY g.id;
    DELETE FROM queue_subscriptions s WHERE s.number = p_sub AND NOT EXISTS (SELECT 1 FROM queue_deliveries d WHERE d.sub = p_sub);
    RETURN FOUND;
  END $$;`;

/** Puts the deliveries of a subscription in order after it became fifo, or is no more, or got what lay unrouted. */
const ARRANGE = `
  CREATE OR REPLACE FUNCTION queue_arrange(p_sub integer, p_fifo boolean, p_now bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE queue_deliveries d SET lane = CASE WHEN p_fifo THEN coalesce(d.grp, '') END,
        state = CASE WHEN d.state = 3 THEN 3 WHEN p_fifo AND d.id > f.first THEN 2 WHEN d.due_at > p_now THEN 1 ELSE 0 END
      FROM (SELECT id, min(id) OVER (PARTITION BY coalesce(grp, '')) AS first FROM queue_deliveries WHERE sub = p_sub) f
      WHERE d.sub = p_sub AND d.id = f.id $$;`;

/** Everything of the queue's that the server runs, also in the place of what a former version made. */
export const QUEUE_FUNCTIONS = [CURRENT, ADD, CLAIM, SETTLE, RETIRE, ARRANGE].join('\n');
